import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type EndReason, type ExitFacts, NativeCompactionError, type Redactor } from '@native-compaction/core';
import { guardGroup } from './guard.ts';
import { createProcessTree } from './process-tree.ts';
import { createStderrTail } from './stderr-tail.ts';
import { checkFolder } from './working-folder.ts';

export interface ChildOptions {
  /** A path, or a name looked up in the child's own PATH. No shell is used. */
  readonly executable: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redactor: Redactor;
}

/** A vendor process in its own process group, with bytes in and out and one closing fact. */
export interface Child {
  readonly pid: number;
  /** `end` comes once, after the last bytes. */
  start(on: { bytes(chunk: Buffer): void; end(why: EndReason, exit: ExitFacts): void }): void;
  write(text: string): void;
  pause(): void;
  resume(): void;
  /** Closes stdin, then SIGTERM, then SIGKILL, `graceMs` apart; resolves when the process is gone. */
  close(graceMs: number): Promise<void>;
}

/** How long the other closing facts may take after the first: the exit after the end of the output, or the other way round. */
const DRAIN_MS = 1_000;

/** Starts a process; rejects with `executable_not_found` or `cwd_not_found` when it cannot be started. */
export async function startChild({ executable, args, cwd, env, redactor }: ChildOptions): Promise<Child> {
  checkFolder(cwd, redactor);
  const child = await spawned(executable, args, { cwd, env, redactor });
  const { pid = 0, stdin, stdout, stderr } = child;
  const unguard = guardGroup(pid);
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  const exited = Promise.withResolvers<void>();
  child.once('exit', () => exited.resolve());

  const tail = createStderrTail(redactor);
  stderr.on('data', tail.push);
  const tree = createProcessTree(pid);

  return {
    pid,
    start(on) {
      let hasEnded = false;
      let timer: NodeJS.Timeout | undefined;
      const end = (why: EndReason, exit: ExitFacts) => {
        clearTimeout(timer);
        if (hasEnded) return;
        hasEnded = true;
        on.end(why, { ...exit, stderrTail: tail.text() });
      };
      /** No frame can come or go any more, and the process lives on: it is of no use, and is ended. */
      const lose = () => {
        if (hasEnded || child.exitCode !== null || child.signalCode !== null) return;
        timer ??= setTimeout(() => {
          end('transport_lost', {});
          void close(DRAIN_MS);
        }, DRAIN_MS);
      };
      stdout.on('data', (chunk: Buffer) => on.bytes(chunk));
      stdout.once('close', lose);
      stdin.once('error', lose);
      child.once('exit', (code, signal) => {
        unguard();
        tree.kill('SIGKILL');
        clearTimeout(timer);
        timer = setTimeout(() => stdout.destroy(), DRAIN_MS);
        stdout.resume();
        const finish = () => end('process_exit', { code, signal });
        if (stdout.closed || stdout.readableEnded) finish();
        else stdout.once('close', finish);
      });
    },
    write(text) {
      if (!stdin.writable) return;
      // What is written in one tick leaves in one system call: a cancel right behind its command arrives with it.
      if (stdin.writableCorked === 0) {
        stdin.cork();
        process.nextTick(() => stdin.uncork());
      }
      stdin.write(text);
    },
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    close,
  };

  async function close(graceMs: number): Promise<void> {
    tree.remember();
    stdout.resume();
    stdin.end(); // sends what is corked first
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await settledWithin(exited.promise, graceMs)) return;
      tree.remember();
      tree.kill(signal);
    }
    await exited.promise;
  }
}

async function settledWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<false>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  const settled = await Promise.race([promise.then(() => true), timeout.promise]);
  clearTimeout(timer);
  return settled;
}

/** Straight from Node: a wrapper of the process and its streams would hold seven times as much for each session. */
async function spawned(
  executable: string,
  args: readonly string[],
  { cwd, env, redactor }: Pick<ChildOptions, 'cwd' | 'env' | 'redactor'>,
): Promise<ChildProcessWithoutNullStreams> {
  const failed = (cause: unknown) => notStarted(executable, cause, redactor);
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(executable, args, { cwd, env, stdio: 'pipe', detached: true, windowsHide: true });
  } catch (cause) {
    throw failed(cause);
  }
  if (child.pid === undefined) throw failed(await new Promise((resolve) => child.once('error', resolve)));
  child.on('error', () => undefined);
  return child;
}

function notStarted(executable: string, cause: unknown, redactor: Redactor): NativeCompactionError {
  const code = (cause as { code?: string } | undefined)?.code ?? 'unknown error';
  if (code === 'EACCES') {
    const message = `Cannot start "${redactor.error(executable)}" (EACCES). Name the vendor's CLI itself, and make it executable.`;
    return new NativeCompactionError('executable_not_found', message);
  }
  const message = `Cannot start "${redactor.error(executable)}" (${code}). Install the vendor's CLI, or set the executable option.`;
  return new NativeCompactionError('executable_not_found', message);
}
