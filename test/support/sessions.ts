import type { Redactor, Wire } from '@native-compaction/core';
import { type ChildOptions, connectJsonLines, type JsonObject, Unparsed } from '@native-compaction/transport';
import type { Recorder } from './recorder.ts';

export { recordOf as record, recordsSoFar, say } from '@native-compaction/conformance';

/** Sees every frame before the library does, in both directions, and may write frames that are foreign to it. */
export type Watch = (dir: 'in' | 'out', frame: JsonObject, write: (frame: JsonObject) => void) => void;

/** A real process on a wire that a test holds as well. */
export async function watchedWire(options: ChildOptions & { redactor: Redactor }, recorder: Recorder, watch: Watch | undefined) {
  let pid = 0;
  let isForeign = false;
  const wire = await connectJsonLines({
    ...options,
    tap(line) {
      pid = line.pid;
      recorder.add(line.pid, isForeign ? 'foreign' : line.dir, line.frame);
    },
  });
  const write = (frame: JsonObject) => {
    isForeign = true;
    wire.write(frame);
    isForeign = false;
  };
  const watched: Wire<JsonObject | Unparsed, JsonObject> = {
    ...wire,
    start: (on) =>
      wire.start({
        ...on,
        frame(frame, bytes) {
          if (!(frame instanceof Unparsed)) watch?.('in', frame, write);
          on.frame(frame, bytes);
        },
      }),
    write(frame) {
      wire.write(frame);
      watch?.('out', frame, write);
    },
  };
  return { wire: watched, write, pid: () => pid };
}

export function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
