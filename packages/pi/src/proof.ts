import type { Evidence, Settlement } from '@native-compaction/core';
import { number, optional, text } from '@native-compaction/transport';
import type { CompactionEnd, ResponseFact } from './frames.ts';
import { failureHint } from './hints.ts';

/**
 * Pi's compaction events carry no id. Ours is the first manual start after our command, its end the first manual end after
 * that, and the answer with our id closes it. Another manual start before that answer makes a tie, which only the answer decides.
 *
 *   written → started → ended → answer: completed, failed or aborted
 *                 └────────┴──→ tied → answer
 */
type Stage = 'written' | 'started' | 'ended' | 'tied';

export interface Operation {
  readonly requestId: string;
  /** The id of our command. */
  readonly operationId: string;
  readonly stage: Stage;
  readonly starts: number;
  /** Manual ends since our start, in order. */
  readonly ends: readonly CompactionEnd[];
  /** Two were open at once: then one of them may end without a word (1.4.0 to 1.6.0). */
  readonly isOverlapped: boolean;
  /** Our cancel was written before any native end. */
  readonly cancelWritten: boolean;
  /** One that overlapped another may still be running without a word, and end in the place of ours. */
  readonly hasOrphan: boolean;
  /** A line was dropped: it may have been one of the proof's. */
  readonly isTainted: boolean;
  readonly evidence: readonly Evidence[];
}

export function dispatched(requestId: string, operationId: string, frame: number, hasOrphan: boolean): Operation {
  const evidence = [{ frame, kind: 'dispatched', ids: { id: operationId } }];
  return {
    requestId,
    operationId,
    stage: 'written',
    starts: 0,
    ends: [],
    isOverlapped: false,
    cancelWritten: false,
    hasOrphan,
    isTainted: false,
    evidence,
  };
}

export function hasStarted({ stage }: Operation): boolean {
  return stage !== 'written';
}

/** A manual compaction began after our command. */
export function stepStart(operation: Operation, frame: number): Operation {
  const { stage, starts, ends } = operation;
  return {
    ...operation,
    stage: stage === 'written' ? 'started' : 'tied',
    starts: starts + 1,
    isOverlapped: operation.isOverlapped || starts > ends.length,
    evidence: [...operation.evidence, { frame, kind: 'compaction_start', ids: {} }],
  };
}

/** A manual compaction ended; true if that can be ours. One that was open before our start is not. */
export function takesEnd({ stage }: Operation): boolean {
  return stage === 'started' || stage === 'tied';
}

export function stepEnd(operation: Operation, end: CompactionEnd, frame: number): Operation {
  return {
    ...operation,
    stage: operation.stage === 'started' ? 'ended' : operation.stage,
    ends: [...operation.ends, end],
    evidence: [...operation.evidence, { frame, kind: `compaction_end_${end.kind}`, ids: {} }],
  };
}

/** The answer with our id: our command is over, and what ended it is among the ends before it. */
export function stepAnswer(operation: Operation, response: ResponseFact, frame: number, isTested: boolean): Settlement {
  const evidence = toProof([...operation.evidence, { frame, kind: 'response', ids: { id: operation.operationId } }]);
  const unknown = (reason: 'ambiguous' | 'no_evidence'): Settlement => ({
    status: 'unconfirmed',
    context: 'unknown',
    evidence,
    reason,
    started: hasStarted(operation),
  });
  const { stage, ends } = operation;
  if (operation.isTainted) return unknown('no_evidence');
  if (stage === 'written') {
    if (response.isSuccess) return unknown('no_evidence');
    return {
      status: 'rejected',
      context: 'unchanged',
      evidence,
      reason: 'native_refused',
      ...optional('message', response.error),
    };
  }
  const completed = ends.findLast(({ kind }) => kind === 'completed');
  // In process a host's listener that throws on the end spoils the promise of a compaction that is done (1.4.0 to 1.6.0).
  const isSpoilt = response.isAdapterMade && stage === 'ended' && completed !== undefined && !operation.hasOrphan;
  if (response.isSuccess || isSpoilt) {
    if (!completed) return unknown('no_evidence');
    return { status: 'completed', context: 'compacted', evidence, ...figures(response.data ?? completed.result ?? {}) };
  }
  if (operation.isOverlapped) return unknown('ambiguous');
  const kinds = new Set(ends.map(({ kind }) => kind));
  const last = ends.at(-1);
  if (kinds.size > 1) return unknown('ambiguous');
  if (last?.kind === 'aborted') {
    return { status: 'aborted', context: 'unchanged', evidence, by: operation.cancelWritten ? 'caller' : 'native' };
  }
  if (last?.kind !== 'failed') return unknown('no_evidence');
  const { message } = last;
  return {
    status: 'failed',
    context: 'unchanged',
    evidence,
    reason: 'native_failed',
    ...optional('message', message),
    ...optional('hint', isTested ? failureHint(message) : undefined),
  };
}

/** An empty summary is a completed compaction on Pi, and stays one (1.4.0 to 1.6.0). */
function figures(result: NonNullable<CompactionEnd['result']>) {
  const tokens = {
    ...optional('before', number(result.tokensBefore)),
    ...optional('after', number(result.estimatedTokensAfter)),
  };
  return {
    ...(Object.keys(tokens).length === 0 ? {} : { tokens: { ...tokens, estimated: true } }),
    ...optional('summary', text(result.summary)),
  };
}

function toProof(evidence: readonly Evidence[]): readonly [Evidence, ...Evidence[]] {
  return evidence as readonly [Evidence, ...Evidence[]];
}
