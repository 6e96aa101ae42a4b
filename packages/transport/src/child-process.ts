import { statSync } from 'node:fs';
import { type EndReason, type ExitFacts, NativeCompactionError, type Redactor } from '@native-compaction/core';
import { execa } from 'execa';
import { guardGroup } from './guard.ts';

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

/** Bytes of stderr kept, from its end. */
const STDERR_BYTES = 8_192;
/** How long output may stay open after the exit, held by a grandchild, before it is cut off. */
const DRAIN_MS = 1_000;

/** Starts a process; rejects with `executable_not_found` or `cwd_not_found` when it cannot be started. */
export async function startChild({ executable, args, cwd, env, redactor }: ChildOptions): Promise<Child> {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new NativeCompactionError('cwd_not_found', `cwd is not a folder: ${redactor.error(cwd)}`);
  }
  const child = execa(executable, args, {
    cwd,
    env: env as Record<string, string>,
    extendEnv: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    detached: true,
    cleanup: false,
    windowsHide: true,
  });
  const { pid, stdin, stdout, stderr, nodeChildProcess } = child;
  if (pid === undefined) throw notStarted(executable, await child, redactor);
  const unguard = guardGroup(pid);
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  const exited = Promise.withResolvers<void>();
  nodeChildProcess.once('exit', () => exited.resolve());

  let tail = Buffer.alloc(0);
  stderr.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_BYTES);
  });

  /** Also ends what the vendor left behind in its group. */
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // nothing of the group is left
    }
  };

  return {
    pid,
    start(on) {
      stdout.on('data', (chunk: Buffer) => on.bytes(chunk));
      nodeChildProcess.once('exit', (code, signal) => {
        unguard();
        signalGroup('SIGKILL');
        const cutOff = setTimeout(() => stdout.destroy(), DRAIN_MS);
        const finish = () => {
          clearTimeout(cutOff);
          on.end('process_exit', { code, signal, stderrTail: redactor.error(tail.toString('utf8')) });
        };
        stdout.resume();
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
    async close(graceMs) {
      stdout.resume();
      stdin.end(); // sends what is corked first
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await settledWithin(exited.promise, graceMs)) return;
        signalGroup(signal);
      }
      await exited.promise;
    },
  };
}

async function settledWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<false>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  const settled = await Promise.race([promise.then(() => true), timeout.promise]);
  clearTimeout(timer);
  return settled;
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
