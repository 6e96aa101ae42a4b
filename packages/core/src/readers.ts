import { NativeCompactionError } from './errors.ts';
import type { SessionRecord } from './record.ts';
import { Ring } from './ring.ts';
import type { Cursor } from './session.ts';

/** How far a `required` reader may fall behind before the vendor's pipe is paused (T9). */
export const REQUIRED_WINDOW = { records: 1024, bytes: 1_048_576 } as const;

interface Reader {
  next: number;
  required: boolean;
  readonly waiting: ((result: IteratorResult<SessionRecord>) => void)[];
}

/** The record side of the log: one shared ring, any number of readers with a cursor each. */
export class RecordLog {
  readonly #log: string;
  readonly #ring: Ring<SessionRecord>;
  readonly #onMoved: () => void;
  #readers: readonly Reader[] = [];
  #isClosed = false;

  /** `onMoved` is called when a required reader took a record or left, so that a paused pipe can go on. */
  constructor(log: string, retain: { records: number; bytes: number }, onMoved: () => void) {
    this.#log = log;
    this.#ring = new Ring(Math.max(retain.records, REQUIRED_WINDOW.records), retain.bytes);
    this.#onMoved = onMoved;
  }

  append(record: SessionRecord, bytes: number): void {
    this.#ring.push(record, bytes);
    if (this.#readers.length > 0) this.#wakeAll();
  }

  /** The place after which the next record comes. */
  cursor(): Cursor {
    return { log: this.#log, seq: this.#ring.newest };
  }

  /** No record comes any more; readers end after the last one. */
  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
    this.#readers = this.#readers.filter(({ next }) => next <= this.#ring.newest);
  }

  read(after: Cursor | undefined, required: boolean): AsyncIterable<SessionRecord> {
    const { oldest, newest } = this.#ring;
    if (after && (after.log !== this.#log || !Number.isInteger(after.seq) || after.seq > newest || after.seq < 0)) {
      const given = JSON.stringify(typeof after === 'object' ? { log: after.log, seq: after.seq } : after);
      const message = `The cursor ${given} ({ log, seq }) is not of this log, which is "${this.#log}" and at ${newest}. Read from the start instead.`;
      throw new NativeCompactionError('foreign_cursor', message);
    }
    const first = after ? after.seq + 1 : oldest;
    return { [Symbol.asyncIterator]: () => this.#iterate({ next: first, required, waiting: [] }) };
  }

  /** True while a required reader is outside its window. */
  isBehind(): boolean {
    for (const { required, next } of this.#readers) {
      if (!required) continue;
      if (this.#ring.newest - next + 1 > REQUIRED_WINDOW.records) return true;
      if (this.#ring.bytesAfter(next - 1) > REQUIRED_WINDOW.bytes) return true;
    }
    return false;
  }

  #iterate(reader: Reader): AsyncIterator<SessionRecord> {
    this.#readers = [...this.#readers, reader];
    return {
      next: () => {
        const result = this.#readers.includes(reader) ? this.#take(reader) : { done: true as const, value: undefined };
        if (result?.done) this.#leave(reader);
        if (result && reader.required) this.#onMoved();
        return result ? Promise.resolve(result) : new Promise((resolve) => reader.waiting.push(resolve));
      },
      return: () => {
        this.#leave(reader);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #take(reader: Reader): IteratorResult<SessionRecord> | undefined {
    const from = reader.next;
    const { oldest } = this.#ring;
    if (from < oldest) {
      reader.next = oldest;
      const atMs = this.#ring.get(oldest)?.atMs ?? 0;
      return { done: false, value: { log: this.#log, seq: oldest - 1, atMs, type: 'gap', from, to: oldest - 1 } };
    }
    const record = this.#ring.get(from);
    if (record) {
      reader.next += 1;
      return { done: false, value: record };
    }
    return this.#isClosed ? { done: true, value: undefined } : undefined;
  }

  #leave(reader: Reader): void {
    this.#readers = this.#readers.filter((other) => other !== reader);
    for (const wake of reader.waiting.splice(0)) wake({ done: true, value: undefined });
    this.#onMoved();
  }

  #wakeAll(): void {
    for (const reader of this.#readers) {
      while (reader.waiting.length > 0) {
        const result = this.#take(reader);
        if (!result) break;
        reader.waiting.shift()?.(result);
      }
    }
  }
}
