import type { RpcError } from '@native-compaction/transport';
import { type Candidate, type Operation, withCandidate } from './candidate.ts';
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
  const { turnId } = candidate;
  const isCompact = saysCompact(error);
  const kind = isCompact ? 'compact' : isOrdinary(error) ? 'other' : 'lost';
  const evidence = isCompact ? [{ frame, kind: 'turn_kind_compact', ids: { turnId } }] : [];
  const known = withCandidate(operation, turnId, (item) => ({ ...item, kind, evidence: [...item.evidence, ...evidence] }));
  if (isCompact) return judge(known.bound === undefined ? { ...known, bound: turnId } : known);
  const running = kind === 'lost' ? runningInstead(error) : undefined;
  if (running === undefined || known.bound !== undefined || isKnown(known, running)) return judge(known);
  // It is asked for by its id before its start was told; only the structured kind can bind it.
  const unseen: Candidate = { turnId: running, kind: 'unknown', stage: 'named', hasAnswer: false, evidence: [] };
  return { operation: { ...known, candidates: [...known.candidates, unseen] }, probe: running };
}

/** A probe that came too late names the turn that runs in the other's place (0.166.0, 0.171.0): whom to ask next, and no more. */
function runningInstead(error: RpcError | undefined): string | undefined {
  return /but found `([^`]+)`/.exec(error?.message ?? '')?.[1];
}

function isKnown(operation: Operation, turnId: string): boolean {
  return operation.candidates.some((candidate) => candidate.turnId === turnId);
}
