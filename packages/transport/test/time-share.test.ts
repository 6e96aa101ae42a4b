import { createRedactor } from '@native-compaction/core';
import { describe, expect, test, vi } from 'vitest';
import { connectJsonLines } from '../src/json-lines-wire.ts';
import { TimeShare } from '../src/time-share.ts';

const busy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const open = (costMs: number) => {
  const seen: [number, boolean][] = [];
  const calls: string[] = [];
  const share = new TimeShare({
    work(chunk, hasWaited) {
      busy(costMs);
      seen.push([chunk[0] ?? 0, hasWaited]);
    },
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  });
  const push = (...values: number[]) => {
    for (const value of values) share.push(Buffer.of(value));
  };
  return { share, seen, calls, push };
};

describe('TimeShare', () => {
  test('what comes for many sources at once is looked at a slice a turn, in order, and each is paused while it waits', async () => {
    await turn();
    const sources = Array.from({ length: 10 }, () => open(5));
    for (const { push } of sources) push(1, 2);
    const atOnce = sources.flatMap(({ seen }) => seen);
    expect(atOnce.length).toBeGreaterThan(0);
    expect(atOnce.length).toBeLessThan(4);
    let turns = 0;
    for (; sources.some(({ share }) => share.isWaiting); turns += 1) {
      const before = performance.now();
      await turn();
      expect(performance.now() - before).toBeLessThan(500);
    }
    expect(turns).toBeGreaterThan(3);
    for (const { seen, calls } of sources) {
      expect(seen.map(([value]) => value)).toEqual([1, 2]);
      if (calls.length > 0) expect(calls.at(-1)).toBe('resume');
    }
    expect(sources.some(({ calls }) => calls.length > 0)).toBe(true);
  });

  test('what waits is looked at at once when nothing more will come, and never twice', async () => {
    await turn();
    const { share, seen, push } = open(9);
    push(1, 2, 3);
    expect(seen).toEqual([[1, false]]);
    share.drain();
    expect(seen).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
    await turn();
    await turn();
    expect(seen).toHaveLength(3);
  });

  test('a host that puts other timers in the place of the real ones stops nobody, then or later', async () => {
    await turn();
    const { share, seen, push } = open(5);
    vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] });
    try {
      share.push(Buffer.of(0));
    } finally {
      vi.useRealTimers();
    }
    push(1, 2, 3);
    for (let turns = 0; share.isWaiting && turns < 100; turns += 1) await turn();
    expect(seen.map(([value]) => value)).toEqual([0, 1, 2, 3]);
  }, 5_000);

  test('a source that is resumed while it waits is paused again', async () => {
    await turn();
    const { share, calls, push } = open(9);
    push(1, 2, 3);
    expect(calls).toEqual(['pause', 'pause']);
    share.drain();
    expect(calls.at(-1)).toBe('resume');
  });

  test('a slow reader of a flood gets every frame in order and the end after the last, and others have their turns between', async () => {
    const count = 4_000;
    const line = `JSON.stringify({ n, text: 'x'.repeat(300) }) + '\\n'`;
    const wire = await connectJsonLines({
      executable: process.execPath,
      args: ['-e', `let all = ''; for (let n = 0; n < ${count}; n += 1) all += ${line}; process.stdout.write(all + '\\n')`],
      cwd: process.cwd(),
      env: { PATH: process.env.PATH ?? '' },
      redactor: createRedactor(),
    });
    const seen: unknown[] = [];
    let reads = 0;
    let turns = 0;
    const nextTurn = () => {
      turns += 1;
      if (seen.length < count) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    const ended = await new Promise<number>((resolve) => {
      wire.start({
        frame(frame) {
          busy(0.05);
          seen.push((frame as { n: number }).n);
        },
        read() {
          reads += 1;
        },
        end: () => resolve(seen.length),
      });
    });
    expect(ended).toBe(count);
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(wire.hasUnread?.()).toBe(false);
    expect(reads).toBeGreaterThan(0);
    expect(turns).toBeGreaterThan(10);
    await wire.close(1_000);
  });
});
