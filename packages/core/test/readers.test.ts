import { describe, expect, test } from 'vitest';
import { REQUIRED_WINDOW, RecordLog } from '../src/readers.ts';
import type { SessionRecord } from '../src/record.ts';

const idle = (seq: number): SessionRecord => ({ log: 'L', seq, atMs: seq, type: 'idle' });
const open = (records = 4_096) => {
  let moved = 0;
  const log = new RecordLog('L', { records, bytes: Number.MAX_SAFE_INTEGER }, () => {
    moved += 1;
  });
  let seq = 0;
  const add = (count: number, bytes = 1) => {
    for (let i = 0; i < count; i += 1) {
      seq += 1;
      log.append(idle(seq), bytes);
    }
  };
  return { log, add, moved: () => moved };
};
const all = async (records: AsyncIterable<SessionRecord>) => {
  const found: SessionRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
};

describe('RecordLog', () => {
  test('T9 a reader starts at the oldest record and ends after the closing one', async () => {
    const { log, add } = open();
    add(2);
    const reading = all(log.read(undefined, false));
    add(1);
    log.close();
    expect((await reading).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect((await all(log.read({ log: 'L', seq: 2 }, false))).map(({ seq }) => seq)).toEqual([3]);
    expect(await all(log.read(log.cursor(), false))).toEqual([]);
  });

  test('T3 a reader that stops anywhere and starts again behind what it has seen misses nothing and sees nothing twice', async () => {
    for (const step of [1, 2, 3, 7]) {
      const { log, add } = open();
      add(5);
      const seen: SessionRecord[] = [];
      const read = async (most: number) => {
        for await (const record of log.read(seen.at(-1), false)) {
          seen.push(record);
          if (seen.length % step === 0 || seen.length >= most) break;
        }
      };
      while (seen.length < 5) await read(5);
      add(4);
      while (seen.length < 9) await read(9);
      expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  test('T3 a reader whose place was dropped gets a gap record that says what is missing', async () => {
    const { log, add } = open(REQUIRED_WINDOW.records);
    add(REQUIRED_WINDOW.records + 10);
    log.close();
    const [gap, first] = await all(log.read({ log: 'L', seq: 3 }, false));
    expect(gap).toMatchObject({ type: 'gap', from: 4, to: 10, seq: 10 });
    expect(first).toMatchObject({ seq: 11 });
  });

  test('T3 a cursor of another log, or from the future, is a coded error', () => {
    const { log, add } = open();
    add(1);
    for (const cursor of [
      { log: 'other', seq: 1 },
      { log: 'L', seq: 2 },
      { log: 'L', seq: -1 },
    ]) {
      expect(() => log.read(cursor, false)).toThrow(expect.objectContaining({ code: 'foreign_cursor' }));
    }
  });

  test('calls of next() that overlap are answered in order, and return() answers those that wait', async () => {
    const { log, add } = open();
    const reader = log.read(undefined, false)[Symbol.asyncIterator]();
    const waiting = [reader.next(), reader.next(), reader.next()];
    add(2);
    await reader.return?.();
    const results = await Promise.all(waiting);
    expect(results.map((result) => (result.done ? 'done' : result.value.seq))).toEqual([1, 2, 'done']);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test('a required reader is behind by count or by bytes until it has taken enough', async () => {
    const { log, add, moved } = open();
    const reader = log.read(undefined, true)[Symbol.asyncIterator]();
    add(REQUIRED_WINDOW.records);
    expect(log.isBehind()).toBe(false);
    add(1);
    expect(log.isBehind()).toBe(true);
    await reader.next();
    expect([log.isBehind(), moved() > 0]).toEqual([false, true]);
    await reader.return?.();
    const heavy = log.read(log.cursor(), true)[Symbol.asyncIterator]();
    add(2, REQUIRED_WINDOW.bytes);
    expect(log.isBehind()).toBe(true);
    await heavy.return?.();
    expect(log.isBehind()).toBe(false);
  });
});
