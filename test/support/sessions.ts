import type { Redactor, Session, SessionRecord, Wire } from '@native-compaction/core';
import { type ChildOptions, connectJsonLines, type JsonObject, Unparsed } from '@native-compaction/transport';
import type { Recorder } from './recorder.ts';

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

/** Sends a prompt and waits for its end. */
export async function say(session: Session, text: string): Promise<void> {
  const outcome = await session.send(text).ended;
  if (outcome !== 'completed') throw new Error(`The seed prompt ended ${outcome}.`);
}

/** Resolves with the first record that fits, from the oldest retained one on. */
export async function record<T extends SessionRecord['type']>(
  session: Session,
  type: T,
  fits: (record: Extract<SessionRecord, { type: T }>) => boolean = () => true,
): Promise<Extract<SessionRecord, { type: T }>> {
  for await (const item of session.records()) {
    if (item.type === type && fits(item as Extract<SessionRecord, { type: T }>))
      return item as Extract<SessionRecord, { type: T }>;
  }
  throw new Error(`The log ended without ${type}.`);
}

/** Everything recorded so far. */
export async function recordsSoFar(session: Session): Promise<SessionRecord[]> {
  const { seq } = session.checkpoint().cursor;
  const found: SessionRecord[] = [];
  if (seq === 0) return found;
  for await (const item of session.records()) {
    found.push(item);
    if (item.seq >= seq) break;
  }
  return found;
}
