import type { Evidence } from '@native-compaction/core';
import type { Fact } from './frames.ts';

/**
 * A compaction on Codex carries no id: its answer is `{}` and names no turn. What started a turn after our command is a
 * candidate; ours is the first one after the answer if nothing else could have started it, and otherwise only the one that
 * the empty steer names as a compact turn. One stage per candidate, and no flag that a later frame could bend.
 */
export interface Candidate {
  readonly turnId: string;
  /** `compact` and `other` are what the probe said; `lost` is a probe that came too late to say, `unseen` a turn without a start. */
  readonly kind: 'unknown' | 'compact' | 'other' | 'lost' | 'unseen';
  readonly probeId?: string;
  /** `named` is a turn that a probe told of before its start. */
  readonly stage: 'named' | 'started' | 'item_started' | 'item_completed' | 'broken';
  readonly itemId?: string;
  readonly end?: Extract<Fact, { kind: 'turn_completed' }>;
  /** The provider answered in this turn; from then on the history may be replaced before the item tells of it. */
  readonly hasAnswer: boolean;
  readonly evidence: readonly Evidence[];
}

export interface Operation {
  readonly requestId: string;
  /** The id of our `thread/compact/start`. */
  readonly operationId: string;
  readonly isAccepted: boolean;
  /** Something else could have started a turn before the first candidate. */
  readonly isContested: boolean;
  readonly candidates: readonly Candidate[];
  /** The turn that is ours, once that is known for sure. */
  readonly bound?: string;
  /** Our cancel was written before any native end. */
  readonly cancelWritten: boolean;
  readonly isTainted: boolean;
  readonly before?: number;
  readonly after?: number;
  readonly evidence: readonly Evidence[];
}

export function hasStarted(operation: Operation): boolean {
  return operation.bound !== undefined;
}

export function trailOf(operation: Operation): readonly Evidence[] {
  return [...operation.evidence, ...operation.candidates.flatMap(({ evidence }) => evidence)];
}

export function withCandidate(operation: Operation, turnId: string, change: (candidate: Candidate) => Candidate): Operation {
  if (!operation.candidates.some((candidate) => candidate.turnId === turnId)) return operation;
  return {
    ...operation,
    candidates: operation.candidates.map((candidate) => (candidate.turnId === turnId ? change(candidate) : candidate)),
  };
}

/** True while it is being asked whose turn this is, though it is over. */
export function awaitsProbe(operation: Operation | undefined, turnId: string): boolean {
  const candidate = operation?.candidates.find((item) => item.turnId === turnId);
  return candidate?.end !== undefined && candidate.kind === 'unknown' && candidate.probeId !== undefined;
}
