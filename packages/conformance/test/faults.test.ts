import { createJsonLineReader, type JsonObject, Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { type Fault, harmfulKinds, harmlessKinds, planFaults } from '../src/faults/plan.ts';
import { type Action, createFaultStream } from '../src/faults/stream.ts';

const frames = Array.from({ length: 6 }, (_none, at) => ({ frame: at + 1, text: `é\u{1f600} ${at}` }));

/** What a reader makes of six frames behind a command under these faults, and whether the vendor was ended. */
function readUnder(faults: readonly Fault[]) {
  const read: (JsonObject | string)[] = [];
  const met: Fault[] = [];
  let isEnded = false;
  const reader = createJsonLineReader((frame) => read.push(frame instanceof Unparsed ? frame.kind : frame), 1_000);
  const act = (action: Action) => {
    if ('bytes' in action) reader.push(action.bytes);
    if ('blank' in action) reader.push(Buffer.alloc(2_000, 'x'));
    if ('end' in action) isEnded = true;
  };
  const stream = createFaultStream([faults], act, (fault) => met.push(fault));
  stream.line(Buffer.from('{"before":true}'));
  stream.arm();
  for (const frame of frames) stream.line(Buffer.from(JSON.stringify(frame)));
  const hasLeft = isEnded;
  stream.end();
  reader.end();
  return { hasLeft, met, order: read.flatMap((frame) => (typeof frame === 'object' ? [frame.frame ?? 0] : [frame])) };
}
const whole = [0, 1, 2, 3, 4, 5, 6];

describe('the fault proxy', () => {
  test('one number gives one plan', () => {
    const options = { kinds: harmfulKinds, rounds: 5, faults: 3, frames: 9 };
    expect(planFaults(7, options)).toEqual(planFaults(7, options));
    expect(planFaults(7, options)).not.toEqual(planFaults(8, options));
  });

  test.each(harmlessKinds)('R8 %s, anywhere in a frame, leaves every frame as it was', (kind) => {
    for (let value = 0; value < 60; value += 1) {
      const { order, hasLeft } = readUnder([{ kind, frame: 3, value }]);
      expect(order.filter((each) => each !== 'noise')).toEqual(whole);
      expect(hasLeft).toBe(false);
    }
  });

  test.each<[Fault['kind'], (number | string)[], boolean]>([
    ['duplicate', [0, 1, 2, 3, 3, 4, 5, 6], false],
    ['swap', [0, 1, 2, 4, 3, 5, 6], false],
    ['drop', [0, 1, 2, 4, 5, 6], false],
    ['oversize', [0, 1, 2, 'oversize', 3, 4, 5, 6], false],
    ['stall', [0, 1, 2], false],
    ['kill', [0, 1, 2], true],
    ['truncate', [0, 1, 2, 'noise'], true],
  ])('%s does what it says', (kind, order, hasLeft) => {
    expect(readUnder([{ kind, frame: 3, value: 1 }])).toMatchObject({ order, hasLeft });
  });

  test('a fault is told of when it meets a frame: none beyond the last one, and none behind an end', () => {
    const [early, late, beyond]: Fault[] = [2, 4, 9].map((frame) => ({ kind: 'kill', frame, value: 0 }));
    if (!early || !late || !beyond) throw new Error('there are three');
    expect(readUnder([early, late, beyond]).met).toEqual([early]);
    expect(readUnder([late, beyond]).met).toEqual([late]);
    expect(readUnder([beyond]).met).toEqual([]);
  });

  test('a frame that waits for its successor is not kept for ever', () => {
    expect(readUnder([{ kind: 'swap', frame: 6, value: 0 }]).order).toEqual(whole);
  });
});
