import { describe, expect, test } from 'vitest';
import { piMachine } from '../src/machine.ts';
import { OPEN_ID } from '../src/state.ts';
import { native } from './support/native.ts';
import { play } from './support/play.ts';

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
