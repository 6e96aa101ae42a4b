import type { EndReason, ExitFacts, Wire } from '@native-compaction/core';
import { type Child, type ChildOptions, startChild } from './child-process.ts';
import { createJsonLineReader, type JsonObject, type Runs, toJsonLine, type Unparsed } from './json-lines.ts';
import type { LineFrame, LineIn, Template } from './line-frame.ts';
import type { LineSplitter } from './line-splitter.ts';
import { toVendorProcess } from './process-facts.ts';
import { createTap, type Tap } from './tap.ts';
import { type ChunkSource, TimeShare } from './time-share.ts';

export interface JsonLinesOptions<Fact = never> extends ChildOptions {
  readonly tap?: Tap | undefined;
  /** How a frame is shown in a capture; see `createTap`. */
  readonly present?: ((frame: unknown) => unknown) | undefined;
  /** Tells what the vendor's most frequent lines mean without parsing them. */
  readonly template?: Template<Fact>;
}

/** Starts a process and speaks newline-delimited JSON with it. */
export async function connectJsonLines<Fact = never>(options: JsonLinesOptions<Fact>): Promise<Wire<LineIn<Fact>, JsonObject>> {
  const child = await startChild(options);
  const lines = new JsonLines(child, createTap(options.tap, options.redactor, child.pid, options.present), options.template);
  return {
    process: toVendorProcess(child.pid),
    start: (on) => lines.start(on),
    hasUnread: () => lines.hasUnread(),
    write: (frame) => lines.write(frame),
    pause: () => lines.hold(true),
    resume: () => lines.hold(false),
    close: (graceMs) => lines.close(graceMs),
  };
}

type Handlers<Fact> = Parameters<Wire<LineIn<Fact>, JsonObject>['start']>[0];

/** The lines of one process, read a slice of the event loop at a time. */
class JsonLines<Fact> implements ChunkSource {
  readonly #child: Child;
  readonly #tap: ReturnType<typeof createTap>;
  readonly #reader: LineSplitter;
  readonly #share: TimeShare = new TimeShare(this);
  #on: Handlers<Fact> | undefined;
  #isPaused = false;
  #isClosing = false;
  #isAwaited = false; // the last frame was handed over with a line behind it that may be blank

  constructor(child: Child, tap: ReturnType<typeof createTap>, template: Template<Fact> | undefined) {
    this.#child = child;
    this.#tap = tap;
    const runs: Runs<Fact> | undefined = template && { template, onRun: (frames, bytes) => this.#onRun(frames, bytes) };
    this.#reader = createJsonLineReader((frame, bytes) => this.#onFrame(frame, bytes), undefined, runs);
  }

  start(on: Handlers<Fact>): void {
    this.#on = on;
    this.#child.start(this);
  }

  bytes(chunk: Buffer): void {
    this.#share.push(chunk);
  }

  end(why: EndReason, exit: ExitFacts): void {
    this.#share.drain();
    this.#reader.end();
    this.#tap('end', exit);
    this.#on?.end(why, exit);
  }

  hasUnread(): boolean {
    return this.#reader.hasMore || this.#share.isWaiting;
  }

  write(frame: JsonObject): void {
    this.#tap('out', frame);
    this.#child.write(toJsonLine(frame));
  }

  /** What the process still has to say must not keep it from ending, however slow the consumer is. */
  close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#isPaused = false;
    return this.#child.close(graceMs);
  }

  /** The consumer's own pause, on top of that of the time share. */
  hold(isPaused: boolean): void {
    if (this.#isClosing) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#child.pause();
    else if (!this.#share.isWaiting) this.#child.resume();
  }

  pause(): void {
    this.#child.pause();
  }

  resume(): void {
    if (!this.#isPaused) this.#child.resume();
  }

  work(chunk: Buffer, hasWaited: boolean): void {
    this.#reader.push(chunk);
    // While a chunk waited somebody may have waited for it, and it may hold no frame.
    if ((this.#isAwaited || hasWaited) && !this.hasUnread()) this.#on?.read?.();
    this.#isAwaited = this.#isAwaited && this.hasUnread();
  }

  #onFrame(frame: JsonObject | Unparsed, bytes: number): void {
    this.#isAwaited = this.hasUnread();
    this.#tap('in', frame);
    this.#on?.frame(frame, bytes);
  }

  #onRun(frames: readonly LineFrame<Fact>[], bytes: readonly number[]): void {
    this.#isAwaited = this.hasUnread();
    for (const frame of frames) this.#tap('in', frame);
    const run = frames as readonly LineIn<Fact>[];
    if (this.#on?.run) this.#on.run(run, bytes);
    else for (const [place, frame] of run.entries()) this.#on?.frame(frame, bytes[place] ?? 0);
  }
}
