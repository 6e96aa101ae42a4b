import type { EntryBody } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import type { PiIn, PiOut } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { native } from './support/native.ts';
import { OURS, play } from './support/play.ts';

/** A compaction of ours, by the frames after its dispatch. */
function compact(...frames: JsonObject[]) {
  const { records, settlements, types } = play([...native.opening(), { write: 'compact' }, ...frames]);
  const ends = records.flatMap((record) => (record.type === 'compaction_ended' ? [[record.origin, record.outcome]] : []));
  return { ends, settlement: settlements[0], status: settlements[0]?.status, types };
}

const { start, completed, failed, aborted, answer, failure, result } = native;
const done = answer(OURS, 'compact', result);
const refused = failure(OURS, 'compact');

describe('what is recorded of the ends', () => {
  test('one of somebody else in a tie keeps its own outcome', () => {
    expect(compact(start(), completed(), start(), failed(), done).ends).toEqual([
      ['manual', 'completed'],
      ['foreign', 'failed'],
    ]);
    expect(compact(start(), aborted(), start(), aborted(), refused).ends).toEqual([
      ['manual', 'aborted'],
      ['foreign', 'aborted'],
    ]);
    expect(compact(start(), completed(), start(), completed(), done).ends).toEqual([
      ['manual', 'completed'],
      ['foreign', 'completed'],
    ]);
  });

  test('a compaction without figures is completed without them', () => {
    const bare = { type: 'compaction_end', reason: 'manual', result: {}, aborted: false, willRetry: false };
    expect(compact(start(), bare, answer(OURS, 'compact')).settlement).toEqual({
      status: 'completed',
      context: 'compacted',
      evidence: expect.anything(),
    });
  });

  test('an end that is told twice is no compaction of somebody else', () => {
    const { ends, types } = compact(start(), completed(), completed(), done);
    expect(ends).toEqual([['manual', 'completed']]);
    expect(types).toContain('raw');
  });

  test.each([{ errorMessage: 'no' }, { aborted: true }])('an end that says two things (%o) proves nothing', (also) => {
    expect(compact(start(), { ...completed(), ...also }, done)).toMatchObject({
      status: 'unconfirmed',
      ends: [['manual', 'unknown']],
    });
  });
});

describe('G4 a state that does not say whether Pi is at work', () => {
  test.each<JsonObject>([
    {},
    { isStreaming: 'no', isCompacting: false, pendingMessageCount: 0 },
    { isStreaming: false, isCompacting: false, pendingMessageCount: '3' },
  ])('%o: not ready', (data) => {
    let { state } = piMachine.init({ deltas: false, testedVersions });
    let n = 0;
    const step = (body: EntryBody<PiIn, PiOut>) => {
      n += 1;
      state = piMachine.step(state, { n, atMs: n, ...body }).state;
    };
    for (const frame of native.opening()) step({ dir: 'in', frame });
    const asked = piMachine.admit(state, 1);
    if (!('ask' in asked)) throw new Error('nothing was asked');
    for (const { frame, ref } of asked.ask) step({ dir: 'out', frame, ref });
    step({ dir: 'in', frame: answer(state.read?.id ?? '', 'get_state', data) });
    expect(piMachine.admit(state, 1)).toEqual({ reject: 'not_ready' });
  });
});
