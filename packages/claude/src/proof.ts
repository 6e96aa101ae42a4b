import type { Evidence, FailureHint, Settlement, TokenCounts } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import type { Fact, LifecycleState } from './frames.ts';
import { failureHint } from './hints.ts';

/**
 * The stages of one `/compact`, in the only order that proves anything (contract 3, Identity). There is one counter and no
 * flag: a frame either moves it to the next stage, repeats the present one, or breaks the proof for good.
 *
 *   written → queued → started ─→ compacting ─→ succeeded ─→ succeeded_named → bounded ─→ result: completed
 *                         │            └──────→ failed ────→ failed_named ──────────────→ result: failed
 *                         └→ named ─→ named_failed ────────────────────────────────────→ result: failed
 */
type Stage =
  | 'written'
  | 'queued'
  | 'started'
  | 'compacting'
  | 'succeeded'
  | 'succeeded_named'
  | 'bounded'
  | 'failed'
  | 'failed_named'
  | 'named'
  | 'named_failed'
  | 'broken';

export interface Operation {
  readonly requestId: string;
  /** The `command_uuid` we chose; no other operation ever carries it. */
  readonly uuid: string;
  readonly stage: Stage;
  readonly hasStarted: boolean;
  readonly evidence: readonly Evidence[];
  /** Our cancel was written before any native end (C4). */
  readonly cancelWritten: boolean;
  readonly boundary?: string;
  readonly tokens?: TokenCounts;
  readonly durationMs?: number;
  readonly summary?: string;
  readonly message?: string;
  readonly hint?: FailureHint;
}

/** What this process is known to offer; it decides which weaker proof may stand (E3). */
export interface ProofRules {
  readonly hasLifecycle: boolean;
  readonly isTested: boolean;
}

export interface ProofStep {
  readonly operation: Operation;
  readonly settlement?: Settlement;
  /** True if the frame belongs to our operation; what is not ours is somebody else's to explain. */
  readonly isOurs: boolean;
}

export function dispatched(requestId: string, uuid: string, frame: number): Operation {
  const evidence = [{ frame, kind: 'dispatched', ids: { command_uuid: uuid } }];
  return { requestId, uuid, stage: 'written', hasStarted: false, evidence, cancelWritten: false };
}

/** Stages before the work itself; where a process tells of no start, its work is the first that is heard of. */
const fresh: readonly Stage[] = ['written', 'queued', 'started'];

/** Steps our operation with one frame of the main session. */
export function stepProof(operation: Operation, fact: Fact, frame: number, rules: ProofRules): ProofStep {
  const foreign: ProofStep = { operation, isOurs: false };
  /** Before its start, what is compacted is somebody else's. */
  const isOpen = operation.hasStarted || !rules.hasLifecycle;
  const move = (
    from: readonly Stage[],
    to: Stage,
    kind: string,
    ids: Record<string, string>,
    extra: Partial<Operation> = {},
  ): ProofStep => {
    if (operation.stage === to) return { operation, isOurs: true };
    const stage = from.includes(operation.stage) ? to : 'broken';
    const evidence = [...operation.evidence, { frame, kind, ids }];
    const hasStarted = operation.hasStarted || stage === 'started' || stage === 'compacting';
    return { operation: { ...operation, ...extra, stage, evidence, hasStarted }, isOurs: true };
  };
  const uuid = { command_uuid: operation.uuid };

  switch (fact.kind) {
    case 'oversize':
      return { operation: { ...operation, stage: 'broken' }, isOurs: false };
    case 'lifecycle':
      return fact.uuid === operation.uuid ? stepLifecycle(operation, fact.state, frame, move) : foreign;
    case 'status': {
      if (!isOpen) return foreign;
      if (fact.isCompacting) return move(fresh, 'compacting', 'compacting', {});
      if (fact.result === 'success') return move(['compacting'], 'succeeded', 'compact_result', { compact_result: 'success' });
      if (fact.result === undefined) return foreign;
      const extra = {
        ...optional('message', fact.error),
        ...optional('hint', rules.isTested ? failureHint(fact.error) : undefined),
      };
      return move(['compacting'], 'failed', 'compact_result', { compact_result: 'failed' }, extra);
    }
    case 'init': {
      if (!isOpen || !fact.uuids.includes(operation.uuid)) return foreign;
      if (fact.uuids.length > 1) return { operation: { ...operation, stage: 'broken' }, isOurs: true };
      const to = ({ succeeded: 'succeeded_named', failed: 'failed_named' } as const)[operation.stage as string] ?? 'named';
      const isRepeat = ['succeeded_named', 'bounded', 'failed_named', 'named_failed'].includes(operation.stage);
      return isRepeat ? { operation, isOurs: true } : move([...fresh, 'succeeded', 'failed'], to, 'init', uuid);
    }
    case 'boundary': {
      if (!isOpen || fact.trigger !== 'manual') return foreign;
      if (operation.boundary === fact.uuid) return { operation, isOurs: true };
      if (operation.stage === 'bounded') return { operation: { ...operation, stage: 'broken' }, isOurs: true };
      const tokens = { ...optional('before', fact.before), ...optional('after', fact.after), estimated: true };
      const extra = { boundary: fact.uuid, tokens, ...optional('durationMs', fact.durationMs) };
      return move(['succeeded_named'], 'bounded', 'compact_boundary', { uuid: fact.uuid }, extra);
    }
    case 'summary':
      return operation.stage === 'bounded' && operation.summary === undefined
        ? { operation: { ...operation, summary: fact.text }, isOurs: true }
        : foreign;
    case 'command_text': {
      if (operation.stage !== 'named' || !fact.hasFailed) return { operation, isOurs: operation.hasStarted };
      const extra = { message: fact.text, ...optional('hint', rules.isTested ? failureHint(fact.text) : undefined) };
      return move(['named'], 'named_failed', 'local_command_outcome', { kind: 'failed' }, extra);
    }
    case 'result':
      return stepResult(operation, fact, frame, rules);
    default:
      return foreign;
  }
}

type Move = (from: readonly Stage[], to: Stage, kind: string, ids: Record<string, string>) => ProofStep;

/** An end that the lifecycle alone reports: before the start it is proof, after it only the result is. */
function stepLifecycle(operation: Operation, state: LifecycleState, frame: number, move: Move): ProofStep {
  const evidence = [...operation.evidence, { frame, kind: `lifecycle_${state}`, ids: { command_uuid: operation.uuid } }] as const;
  const end = (settlement: Settlement): ProofStep => ({ operation, settlement, isOurs: true });
  if (state === 'queued')
    return operation.stage === 'written'
      ? move(['written'], 'queued', 'queued', { command_uuid: operation.uuid })
      : { operation, isOurs: true };
  if (state === 'started') {
    if (operation.hasStarted) return { operation, isOurs: true };
    return move(['written', 'queued'], 'started', 'started', { command_uuid: operation.uuid });
  }
  if (operation.hasStarted || operation.stage === 'broken' || state === 'completed') return end(noEvidence(operation, evidence));
  if (state === 'refused') return end({ status: 'rejected', context: 'unchanged', evidence, reason: 'native_refused' });
  const by = state === 'cancelled' && operation.cancelWritten ? 'caller' : 'native';
  return end({ status: 'aborted', context: 'unchanged', evidence: toProof(evidence), by });
}

/** The end of our command: the only frame that can settle it as completed or failed (R7). */
function stepResult(operation: Operation, fact: Extract<Fact, { kind: 'result' }>, frame: number, rules: ProofRules): ProofStep {
  const names = [...(fact.uuids ?? []), ...(fact.uuid === undefined ? [] : [fact.uuid])];
  if (!names.includes(operation.uuid)) {
    if (names.length === 0 && fact.localCommand === 'compact')
      return { operation, settlement: noEvidence(operation, operation.evidence), isOurs: true };
    // Without a lifecycle, what came before somebody else's result was somebody else's.
    const isReset = !rules.hasLifecycle && operation.stage !== 'broken';
    return { operation: isReset ? restarted(operation) : operation, isOurs: false };
  }
  const evidence = toProof([...operation.evidence, { frame, kind: 'result', ids: { user_message_uuid: operation.uuid } }]);
  const isOurCommand =
    fact.localCommand === 'compact' || (fact.localCommand === undefined && !rules.isTested && fact.turns === 0);
  const isAlone = names.every((uuid) => uuid === operation.uuid);
  const end = (settlement: Settlement): ProofStep => ({ operation, settlement, isOurs: true });
  // A process may turn out only now, by its `init`, to offer the lifecycle; then the start must have been seen.
  const wasStarted = !rules.hasLifecycle || operation.evidence.some(({ kind }) => kind === 'started');
  if (!isOurCommand || !isAlone || !wasStarted) return end(noEvidence(operation, evidence));
  const { tokens, durationMs, summary, message, hint } = operation;
  if (operation.stage === 'bounded') {
    const extras = { ...optional('tokens', tokens), ...optional('durationMs', durationMs), ...optional('summary', summary) };
    return end({ status: 'completed', context: 'compacted', evidence, ...extras });
  }
  if (operation.stage === 'failed_named' || operation.stage === 'named_failed') {
    const extras = { ...optional('message', message), ...optional('hint', hint) };
    return end({ status: 'failed', context: 'unchanged', evidence, reason: 'native_failed', ...extras });
  }
  return end(noEvidence(operation, evidence));
}

function restarted({ requestId, uuid, evidence, cancelWritten }: Operation): Operation {
  return { requestId, uuid, stage: 'written', hasStarted: false, evidence: evidence.slice(0, 1), cancelWritten };
}

function noEvidence(operation: Operation, evidence: readonly Evidence[]): Settlement {
  return { status: 'unconfirmed', context: 'unknown', evidence, reason: 'no_evidence', started: operation.hasStarted };
}

function toProof(evidence: readonly Evidence[]): readonly [Evidence, ...Evidence[]] {
  return evidence as readonly [Evidence, ...Evidence[]];
}
