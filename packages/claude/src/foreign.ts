import type { RecordDraft } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import type { Fact } from './frames.ts';
import type { ClaudeState } from './state.ts';

/** Follows a compaction that is not ours: automatic ones, and a manual boundary that somebody else caused. */
export function stepForeign(state: ClaudeState, fact: Fact): { state: ClaudeState; records: readonly RecordDraft[] } {
  const quiet = { state, records: [] };
  const { foreign, ...rest } = state;
  if (fact.kind === 'status') {
    if (fact.isCompacting) {
      if (foreign) return { state, records: [{ type: 'compaction_progress', origin: 'automatic', detail: 'heartbeat' }] };
      return {
        state: { ...state, foreign: { stage: 'started' } },
        records: [{ type: 'compaction_started', origin: 'automatic' }],
      };
    }
    // An end of something that was never seen to begin is a repeat of an old one.
    if (!foreign || fact.result === undefined) return quiet;
    if (fact.result === 'success') return { state: { ...state, foreign: { stage: 'succeeded' } }, records: [] };
    return {
      state: rest,
      records: [{ type: 'compaction_ended', origin: 'automatic', outcome: 'failed', ...optional('message', fact.error) }],
    };
  }
  if (fact.kind === 'boundary') {
    if (fact.uuid !== '' && fact.uuid === state.boundary) return quiet; // told once more
    const origin = fact.trigger === 'manual' ? 'foreign' : 'automatic';
    const tokens = { ...optional('before', fact.before), ...optional('after', fact.after), estimated: true };
    return { state: rest, records: [{ type: 'compaction_ended', origin, outcome: 'completed', tokens }] };
  }
  // The turn is over, so whatever ran in it is over; without its boundary a success is told without sizes.
  if (fact.kind === 'result' && foreign) {
    const outcome = foreign.stage === 'succeeded' ? 'completed' : 'unknown';
    return { state: rest, records: [{ type: 'compaction_ended', origin: 'automatic', outcome }] };
  }
  return quiet;
}
