import type { RpcError } from '@native-compaction/transport';
import { type Operation, withCandidate } from './candidate.ts';
import { type BindingStep, judge } from './ending.ts';

/**
 * The answer that an ordinary turn gives (0.166.0, 0.171.0). It only rules a turn out; what binds one is the structured kind,
 * so that a text that changes some day can cost an `ambiguous`, and never a wrong result.
 */
function isOrdinary(error: RpcError | undefined): boolean {
  return error?.message === 'input must not be empty';
}

export function probeWritten(operation: Operation, turnId: string, probeId: string): Operation {
  return withCandidate(operation, turnId, (candidate) => ({ ...candidate, probeId }));
}

/** The structured kind of the turn that was probed. */
export function saysCompact(error: RpcError | undefined): boolean {
  const info = error?.data?.codexErrorInfo as { activeTurnNotSteerable?: { turnKind?: unknown } } | undefined;
  return info?.activeTurnNotSteerable?.turnKind === 'compact';
}

/** The oracle's word on one candidate. Only the structured kind counts; prose does not. */
export function stepProbe(operation: Operation, probeId: string, error: RpcError | undefined, frame: number): BindingStep {
  const candidate = operation.candidates.find((item) => item.probeId === probeId);
  if (!candidate) return { operation };
  const isCompact = saysCompact(error);
  const kind = isCompact ? 'compact' : isOrdinary(error) ? 'other' : 'lost';
  const evidence = isCompact ? [{ frame, kind: 'turn_kind_compact', ids: { turnId: candidate.turnId } }] : [];
  const next = withCandidate(operation, candidate.turnId, (item) => ({
    ...item,
    kind,
    evidence: [...item.evidence, ...evidence],
  }));
  return judge(isCompact && next.bound === undefined ? { ...next, bound: candidate.turnId } : next);
}
