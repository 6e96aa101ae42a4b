import type { Evidence, Settlement, TokenCounts } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { type Candidate, hasStarted, type Operation, trailOf } from './candidate.ts';

export interface BindingStep {
  readonly operation: Operation;
  readonly settlement?: Settlement;
  /** A candidate that must be probed now. */
  readonly probe?: string;
}

/** Says what is settled: the bound turn's end, or that every turn that could have been ours is over. */
export function judge(operation: Operation): BindingStep {
  const ours = operation.candidates.find(({ turnId }) => turnId === operation.bound);
  if (ours) return ours.end ? { operation, settlement: endOf(operation, ours, ours.end) } : { operation };
  const isOpen = operation.candidates.some(({ end, kind }) => end === undefined || kind === 'unknown');
  const couldBe = operation.candidates.filter(({ kind }) => kind !== 'other');
  if (!operation.isAccepted || isOpen || couldBe.length === 0) return { operation };
  const isUnseen = couldBe.every(({ kind }) => kind === 'unseen');
  return { operation, settlement: unconfirmed(operation, isUnseen ? 'no_evidence' : 'ambiguous') };
}

function endOf(operation: Operation, ours: Candidate, end: NonNullable<Candidate['end']>): Settlement {
  const evidence = toProof([...operation.evidence, ...ours.evidence]);
  const isReplaced = ours.stage === 'item_completed';
  const isUnproven = ours.stage === 'named' || ours.stage === 'broken' || operation.isTainted;
  if (isUnproven) return unconfirmed(operation, 'no_evidence');
  if (end.status === 'completed') {
    if (!isReplaced) return unconfirmed(operation, 'no_evidence');
    return { status: 'completed', context: 'compacted', evidence, ...optional('tokens', tokensOf(operation)) };
  }
  if (end.status === 'interrupted') {
    return {
      status: 'aborted',
      // Interrupted between the answer and the item, the history may have been replaced without a word (0.166.0).
      context: isReplaced ? 'compacted' : ours.hasAnswer ? 'unknown' : 'unchanged',
      evidence,
      by: operation.cancelWritten ? 'caller' : 'native',
    };
  }
  if (end.status !== 'failed') return unconfirmed(operation, 'no_evidence');
  return {
    status: 'failed',
    context: isReplaced ? 'unknown' : 'unchanged',
    evidence,
    reason: 'native_failed',
    ...optional('message', end.message),
    ...optional('hint', hintOf(end.code)),
  };
}

/** A structured kind of error, so this hint is no reading of prose. */
function hintOf(code: string | undefined): 'context_limit' | 'provider_error' | undefined {
  if (code === undefined) return undefined;
  return code === 'contextWindowExceeded' ? 'context_limit' : 'provider_error';
}

function unconfirmed(operation: Operation, reason: 'ambiguous' | 'no_evidence'): Settlement {
  return { status: 'unconfirmed', context: 'unknown', evidence: trailOf(operation), reason, started: hasStarted(operation) };
}

function tokensOf({ before, after }: Operation): TokenCounts | undefined {
  if (before === undefined && after === undefined) return undefined;
  return { ...optional('before', before), ...optional('after', after), estimated: true };
}

function toProof(evidence: readonly Evidence[]): readonly [Evidence, ...Evidence[]] {
  return evidence as readonly [Evidence, ...Evidence[]];
}
