import type { TurnOutcome } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import type { Run } from './state.ts';

/** The record of a run's end: its last assistant message's own word, unless Pi says that it was aborted. */
export function turnEnd(run: Run, isAborted: boolean) {
  const outcome: TurnOutcome = isAborted ? 'aborted' : (run.outcome ?? 'failed');
  return {
    type: 'turn_ended' as const,
    outcome,
    kind: 'prompt' as const,
    ...optional('usage', run.usage),
    ...(outcome === 'failed' ? optional('message', run.message) : {}),
  };
}
