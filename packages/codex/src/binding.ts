import { optional, type RpcError } from '@native-compaction/transport';
import { type Candidate, type Operation, withCandidate } from './candidate.ts';
import { type BindingStep, judge } from './ending.ts';
import type { Fact } from './frames.ts';

export function dispatched(
  requestId: string,
  operationId: string,
  frame: number,
  isContested: boolean,
  before: number | undefined,
): Operation {
  const evidence = [{ frame, kind: 'dispatched', ids: { requestId: operationId } }];
  return {
    requestId,
    operationId,
    isAccepted: false,
    isContested,
    candidates: [],
    cancelWritten: false,
    isTainted: false,
    evidence,
    ...optional('before', before),
  };
}

/** The answer to our command: an error means that nothing was started. There is one answer; what comes behind it is none. */
export function stepAnswer(operation: Operation, error: RpcError | undefined, frame: number): BindingStep {
  if (operation.isAccepted) return { operation };
  const ids = { requestId: operation.operationId };
  if (!error)
    return { operation: { ...operation, isAccepted: true, evidence: [...operation.evidence, { frame, kind: 'accepted', ids }] } };
  const evidence = [...operation.evidence, { frame, kind: 'refused', ids }];
  return {
    operation,
    settlement: { status: 'rejected', context: 'unchanged', evidence, reason: 'native_refused', message: error.message },
  };
}

/** A turn that is not one of ours began. No turn begins twice, so a repeated notice says nothing new. */
export function stepTurnStarted(operation: Operation, turnId: string, frame: number): BindingStep {
  const evidence = [{ frame, kind: 'turn_started', ids: { turnId } }];
  const known = operation.candidates.find((candidate) => candidate.turnId === turnId);
  if (known) {
    if (known.stage !== 'named') return { operation };
    const started = { stage: 'started', evidence: [...evidence, ...known.evidence] } as const;
    return { operation: withCandidate(operation, turnId, (item) => ({ ...item, ...started })) };
  }
  // It came before the answer, so it is not what we asked for: the answer always precedes our turn.
  const kind = operation.isAccepted ? ('unknown' as const) : ('other' as const);
  const candidate: Candidate = { turnId, kind, stage: 'started', hasAnswer: false, evidence };
  const next = { ...operation, candidates: [...operation.candidates, candidate] };
  if (!operation.isAccepted) return { operation: next };
  if (operation.bound !== undefined) return { operation: next };
  if (!operation.isContested && operation.candidates.length === 0) {
    return { operation: { ...next, bound: turnId, candidates: [{ ...candidate, kind: 'compact' }] } };
  }
  return { operation: next, probe: turnId };
}

/** A compaction item of a candidate: the first one counts, in the order started, completed. */
export function stepItem(
  operation: Operation,
  fact: Extract<Fact, { kind: 'item_started' | 'item_completed' }>,
  frame: number,
): BindingStep {
  const { turnId, itemId } = fact;
  return {
    operation: withCandidate(operation, turnId, (candidate) => {
      const isStart = fact.kind === 'item_started';
      // An item before the start or behind the end of its turn proves nothing.
      if (candidate.end || candidate.stage === 'named') return { ...candidate, stage: 'broken' };
      if (candidate.itemId !== undefined && candidate.itemId !== itemId) return candidate; // a later item of the same turn
      if (isStart ? candidate.stage !== 'started' : candidate.stage === 'item_completed') return candidate; // repeated
      const isInOrder = isStart || candidate.stage === 'item_started';
      const stage = isInOrder ? (isStart ? 'item_started' : 'item_completed') : 'broken';
      const evidence = [
        ...candidate.evidence,
        { frame, kind: isStart ? 'item_started' : 'item_completed', ids: { turnId, itemId } },
      ];
      return { ...candidate, stage, itemId, evidence };
    }),
  };
}

/** Figures of a turn; those that count a further request tell that the provider has answered in it. */
export function stepUsage(operation: Operation, turnId: string, totalTokens: number | undefined, isFurther: boolean): Operation {
  const next = withCandidate(operation, turnId, (candidate) => ({ ...candidate, hasAnswer: candidate.hasAnswer || isFurther }));
  return operation.bound === turnId ? { ...next, ...optional('after', totalTokens) } : next;
}

/** The end of a turn; `isNew` says that it is none that began before our command. */
export function stepTurnCompleted(
  operation: Operation,
  fact: Extract<Fact, { kind: 'turn_completed' }>,
  isNew: boolean,
  frame: number,
): BindingStep {
  const { turnId } = fact;
  const isKnown = operation.candidates.some((candidate) => candidate.turnId === turnId);
  const known = !isKnown && isNew && operation.isAccepted ? withUnseen(operation, turnId) : operation;
  const next = withCandidate(known, turnId, (candidate) => ({
    ...candidate,
    end: candidate.end ?? fact,
    evidence: [...candidate.evidence, { frame, kind: `turn_${fact.status}`, ids: { turnId } }],
  }));
  return judge(next);
}

/** A turn whose start nobody told us of (E3): it may have been ours, and cannot be proven. */
function withUnseen(operation: Operation, turnId: string): Operation {
  const candidate: Candidate = { turnId, kind: 'unseen', stage: 'broken', hasAnswer: true, evidence: [] };
  return { ...operation, candidates: [...operation.candidates, candidate] };
}
