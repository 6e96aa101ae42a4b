import type { EntryBody, RecordDraft } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import type { PiIn, PiOut } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { OPEN_ID } from '../src/state.ts';
import { native } from './support/native.ts';

/** Steps the machine with frames, its own writes included. */
function play(frames: readonly (PiIn | ((readId: string) => PiIn))[]) {
  let n = 0;
  let { state } = piMachine.init({ deltas: false, testedVersions });
  const records: RecordDraft[] = [];
  const step = (body: EntryBody<PiIn, PiOut>) => {
    n += 1;
    const next = piMachine.step(state, { n, atMs: n, ...body });
    state = next.state;
    records.push(...next.records);
    for (const { frame, ref } of next.writes ?? []) step({ dir: 'out', frame, ref });
  };
  for (const frame of frames) step({ dir: 'in', frame: typeof frame === 'function' ? frame(state.read?.id ?? '') : frame });
  return { state, types: records.map(({ type }) => type) };
}

describe('a session that is taken over while it is at work', () => {
  const compacting = native.state(OPEN_ID, { isStreaming: true, isCompacting: true });

  test('in an automatic compaction: free again once Pi says so', () => {
    const { state, types } = play([
      compacting,
      native.completed('threshold'),
      (id) => native.state(id, { isStreaming: true }),
      { type: 'agent_settled', aborted: false },
    ]);
    expect(piMachine.busy(state)).toBeUndefined();
    expect(types.at(-1)).toBe('idle');
  });

  test('in a run whose compaction ended unheard: free again when the run is settled', () => {
    const { state } = play([compacting, { type: 'agent_settled', aborted: false }, (id) => native.state(id)]);
    expect(piMachine.busy(state)).toBeUndefined();
  });

  test('in a run: it is in the way until it is settled', () => {
    const opened = play([native.state(OPEN_ID, { isStreaming: true })]);
    expect(piMachine.busy(opened.state)).toBe('busy_turn');
    expect(opened.types).toContain('turn_started');
  });
});
