import type { Wire } from '@native-compaction/core';
import { type ChildOptions, startChild } from './child-process.ts';
import { createJsonLineReader, type JsonObject, toJsonLine, type Unparsed } from './json-lines.ts';
import type { LineFrame, LineIn, Template } from './line-frame.ts';
import type { LineSplitter } from './line-splitter.ts';
import { toVendorProcess } from './process-facts.ts';
import { createTap, type Tap } from './tap.ts';
import { createTimeShare, type TimeShare } from './time-share.ts';

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
  const tap = createTap(options.tap, options.redactor, child.pid, options.present);
  let reader: LineSplitter | undefined;
  let isPaused = false;
  const hasUnread = () => reader?.hasMore === true || share?.isWaiting === true;
  let share: TimeShare | undefined;
  return {
    process: toVendorProcess(child.pid),
    start(on) {
      let isAwaited = false; // the last frame was handed over with a line behind it that may be blank
      const onFrame = (frame: JsonObject | Unparsed, bytes: number) => {
        isAwaited = hasUnread();
        tap('in', frame);
        on.frame(frame, bytes);
      };
      const onRun = (frames: readonly LineFrame<Fact>[], bytes: readonly number[]) => {
        isAwaited = hasUnread();
        if (options.tap) for (const frame of frames) tap('in', frame);
        const run = frames as readonly LineIn<Fact>[];
        if (on.run) on.run(run, bytes);
        else for (const [place, frame] of run.entries()) on.frame(frame, bytes[place] ?? 0);
      };
      const { template } = options;
      const lines = createJsonLineReader(onFrame, undefined, template && { template, onRun });
      reader = lines;
      const chunks = createTimeShare(
        (chunk, hasWaited) => {
          lines.push(chunk);
          // While a chunk waited somebody may have waited for it, and it may hold no frame.
          if ((isAwaited || hasWaited) && !hasUnread()) on.read?.();
          isAwaited = isAwaited && hasUnread();
        },
        { pause: child.pause, resume: () => void (isPaused || child.resume()) },
      );
      share = chunks;
      child.start({
        bytes: chunks.push,
        end(why, exit) {
          chunks.drain();
          lines.end();
          tap('end', exit);
          on.end(why, exit);
        },
      });
    },
    hasUnread,
    write(frame) {
      tap('out', frame);
      child.write(toJsonLine(frame));
    },
    pause() {
      isPaused = true;
      child.pause();
    },
    resume() {
      isPaused = false;
      if (share?.isWaiting !== true) child.resume();
    },
    close: child.close,
  };
}
