import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type EndReason, type ExitFacts, NativeCompactionError, type Redactor } from '@native-compaction/core';
import { guardGroup, unguardGroup } from './guard.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import { StderrTail } from './stderr-tail.ts';
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
  /** Stops the reading until `resume`; nothing once the process has exited, as what it left behind is little and must not be lost. */
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
  return new StartedChild(await spawned(executable, args, { cwd, env, redactor }), redactor);
}

type Handlers = Parameters<Child['start']>[0];

class StartedChild implements Child {
  readonly pid: number;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #tail: StderrTail;
  #tree: ProcessTree | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(child: ChildProcessWithoutNullStreams, redactor: Redactor) {
    const { pid = 0, stdin, stdout, stderr } = child;
    const tail = new StderrTail(redactor);
    this.pid = pid;
    this.#child = child;
    this.#tail = tail;
    guardGroup(pid);
    for (const stream of [stdin, stdout, stderr]) stream.on('error', ignore);
    stderr.on('data', (chunk: Buffer) => tail.push(chunk));
  }

  start(on: Handlers): void {
    const { stdin, stdout } = this.#child;
    const lose = () => this.#lose(on);
    stdout.on('data', (chunk: Buffer) => on.bytes(chunk));
    stdout.on('close', lose);
    stdin.on('error', lose);
    this.#child.on('exit', (code, signal) => this.#onExit(on, { code, signal }));
  }

  write(text: string): void {
    const { stdin } = this.#child;
    if (!stdin.writable) return;
    // What is written in one tick leaves in one system call: a cancel right behind its command arrives with it.
    if (stdin.writableCorked === 0) {
      stdin.cork();
      process.nextTick(uncork, stdin);
    }
    stdin.write(text);
  }

  pause(): void {
    if (!this.#hasExited) this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  async close(graceMs: number): Promise<void> {
    const { stdin, stdout } = this.#child;
    const exited = this.#exited();
    this.#processes().remember();
    stdout.resume();
    stdin.end(); // sends what is corked first
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await settledWithin(exited, graceMs)) return;
      this.#processes().remember();
      this.#processes().kill(signal);
    }
    await exited;
  }

  #exited(): Promise<void> {
    if (this.#hasExited) return Promise.resolve();
    return new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #processes(): ProcessTree {
    this.#tree ??= createProcessTree(this.pid);
    return this.#tree;
  }

  /** No frame can come or go any more, and the process lives on: it is of no use, and is ended. */
  #lose(on: Handlers): void {
    if (this.#hasEnded || this.#hasExited) return;
    this.#timer ??= afterReading(() => {
      if (this.#hasExited) return;
      this.#end(on, 'transport_lost', {});
      void this.close(DRAIN_MS);
    });
  }

  #onExit(on: Handlers, exit: ExitFacts): void {
    const { stdout } = this.#child;
    unguardGroup(this.pid);
    this.#processes().kill('SIGKILL');
    clearTimeout(this.#timer);
    this.#timer = afterReading(() => stdout.destroy());
    stdout.resume();
    const finish = () => this.#end(on, 'process_exit', exit);
    if (stdout.closed || stdout.readableEnded) finish();
    else stdout.once('close', finish);
  }

  #end(on: Handlers, why: EndReason, exit: ExitFacts): void {
    clearTimeout(this.#timer);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    on.end(why, { ...exit, stderrTail: this.#tail.text() });
  }
}

/** A host that kept the event loop for longer finds its timers due before it has read what came meanwhile: that goes first. */
function afterReading(run: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(run), DRAIN_MS);
}

function ignore(): void {}

function uncork(stream: ChildProcessWithoutNullStreams['stdin']): void {
  stream.uncork();
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
  child.on('error', ignore);
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
