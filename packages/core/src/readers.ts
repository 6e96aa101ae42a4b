import { NativeCompactionError } from './errors.ts';
import type { SessionRecord } from './record.ts';
import { createRing } from './ring.ts';
import type { Cursor } from './session.ts';

/** How far a `required` reader may fall behind before the vendor's pipe is paused (T9). */
export const REQUIRED_WINDOW = { records: 1024, bytes: 1_048_576 } as const;

/** The record side of the log: one shared ring, any number of readers with a cursor each. */
export interface RecordLog {
  append(record: SessionRecord, bytes: number): void;
  /** The place after which the next record comes. */
  cursor(): Cursor;
  /** No record comes any more; readers end after the last one. */
  close(): void;
  read(after: Cursor | undefined, required: boolean): AsyncIterable<SessionRecord>;
  /** True while a required reader is outside its window. */
  isBehind(): boolean;
}

interface Reader {
  next: number;
  required: boolean;
  readonly waiting: ((result: IteratorResult<SessionRecord>) => void)[];
}

/** `onMoved` is called when a required reader took a record or left, so that a paused pipe can go on. */
export function createRecordLog(log: string, retain: { records: number; bytes: number }, onMoved: () => void): RecordLog {
  const ring = createRing<SessionRecord>(Math.max(retain.records, REQUIRED_WINDOW.records), retain.bytes);
  const readers = new Set<Reader>();
  let closed = false;

  const take = (reader: Reader): IteratorResult<SessionRecord> | undefined => {
    const from = reader.next;
    if (from < ring.oldest()) {
      reader.next = ring.oldest();
      const atMs = ring.get(reader.next)?.atMs ?? 0;
      return { done: false, value: { log, seq: reader.next - 1, atMs, type: 'gap', from, to: reader.next - 1 } };
    }
    const record = ring.get(from);
    if (record) {
      reader.next += 1;
      return { done: false, value: record };
    }
    return closed ? { done: true, value: undefined } : undefined;
  };

  const leave = (reader: Reader) => {
    readers.delete(reader);
    for (const wake of reader.waiting.splice(0)) wake({ done: true, value: undefined });
    onMoved();
  };

  const wakeAll = () => {
    for (const reader of readers) {
      while (reader.waiting.length > 0) {
        const result = take(reader);
        if (!result) break;
        reader.waiting.shift()?.(result);
      }
    }
  };

  return {
    append(record, bytes) {
      ring.push(record, bytes);
      if (readers.size > 0) wakeAll();
    },
    cursor: () => ({ log, seq: ring.newest() }),
    close() {
      closed = true;
      wakeAll();
      for (const reader of readers) if (reader.next > ring.newest()) readers.delete(reader);
    },
    read(after, required) {
      if (after && (after.log !== log || !Number.isInteger(after.seq) || after.seq > ring.newest() || after.seq < 0)) {
        const given = JSON.stringify(typeof after === 'object' ? { log: after.log, seq: after.seq } : after);
        const message = `The cursor ${given} ({ log, seq }) is not of this log, which is "${log}" and at ${ring.newest()}. Read from the start instead.`;
        throw new NativeCompactionError('foreign_cursor', message);
      }
      const first = after ? after.seq + 1 : ring.oldest();
      return { [Symbol.asyncIterator]: () => iterate({ next: first, required, waiting: [] }) };
    },
    isBehind() {
      for (const { required, next } of readers) {
        if (!required) continue;
        if (ring.newest() - next + 1 > REQUIRED_WINDOW.records) return true;
        if (ring.bytesAfter(next - 1) > REQUIRED_WINDOW.bytes) return true;
      }
      return false;
    },
  };

  function iterate(reader: Reader): AsyncIterator<SessionRecord> {
    readers.add(reader);
    return {
      next() {
        const result = readers.has(reader) ? take(reader) : { done: true as const, value: undefined };
        if (result?.done) leave(reader);
        if (result && reader.required) onMoved();
        return result ? Promise.resolve(result) : new Promise((resolve) => reader.waiting.push(resolve));
      },
      return() {
        leave(reader);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}
