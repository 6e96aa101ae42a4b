import type { Wire } from '@native-compaction/core';
import { type ChildOptions, startChild } from './child-process.ts';
import { createJsonLineReader, type JsonObject, toJsonLine, type Unparsed } from './json-lines.ts';
import type { LineSplitter } from './line-splitter.ts';
import { toVendorProcess } from './process-facts.ts';
import { createTap, type Tap } from './tap.ts';

export interface JsonLinesOptions extends ChildOptions {
  readonly tap?: Tap | undefined;
  /** How a frame is shown in a capture; see `createTap`. */
  readonly present?: ((frame: unknown) => unknown) | undefined;
}

/** Starts a process and speaks newline-delimited JSON with it. */
export async function connectJsonLines(options: JsonLinesOptions): Promise<Wire<JsonObject | Unparsed, JsonObject>> {
  const child = await startChild(options);
  const tap = createTap(options.tap, options.redactor, child.pid, options.present);
  let reader: LineSplitter | undefined;
  return {
    process: toVendorProcess(child.pid),
    start(on) {
      let isAwaited = false; // the last frame was handed over with a line behind it that may be blank
      const lines = createJsonLineReader((frame, bytes) => {
        isAwaited = lines.hasMore;
        tap('in', frame);
        on.frame(frame, bytes);
      });
      reader = lines;
      child.start({
        bytes(chunk) {
          lines.push(chunk);
          if (isAwaited) on.read?.();
          isAwaited = false;
        },
        end(why, exit) {
          lines.end();
          tap('end', exit);
          on.end(why, exit);
        },
      });
    },
    hasUnread: () => reader?.hasMore ?? false,
    write(frame) {
      tap('out', frame);
      child.write(toJsonLine(frame));
    },
    pause: child.pause,
    resume: child.resume,
    close: child.close,
  };
}
