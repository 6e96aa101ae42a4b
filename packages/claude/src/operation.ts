import type { RecordDraft, Settlement } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import type { Fact } from './frames.ts';
import { type Operation, stepProof } from './proof.ts';
import type { ClaudeState } from './state.ts';

export interface OperationStep {
  readonly state: ClaudeState;
  readonly records: readonly RecordDraft[];
  readonly settlement?: Settlement;
  readonly isOurs: boolean;
}

/** Steps our compaction with a frame of the main session and says in records what it meant. */
export function stepOperation(state: ClaudeState, fact: Fact, n: number): OperationStep {
  const before = state.operation;
  if (!before) return { state, records: [], isOurs: false };
  const rules = { hasLifecycle: state.hasLifecycle === true, isTested: isTested(state) };
  const { operation, settlement, isOurs } = stepProof(before, fact, n, rules);
  const records = progress(before, operation, fact, isOurs);
  if (!settlement) return { state: operation === before ? state : { ...state, operation }, records, isOurs };
  const { operation: _settled, ...rest } = state;
  return { state: rest, records: [...records, endRecord(operation, settlement)], settlement, isOurs };
}

function isTested(state: ClaudeState): boolean {
  return state.version !== undefined && state.facts.testedVersions.includes(state.version);
}

function progress(before: Operation, after: Operation, fact: Fact, isOurs: boolean): RecordDraft[] {
  const own = { origin: 'manual' as const, requestId: after.requestId, nativeKeys: { command_uuid: after.uuid } };
  const records: RecordDraft[] = [];
  if (after.hasStarted && !before.hasStarted) records.push({ type: 'compaction_started', ...own });
  if (!isOurs) return records;
  if (fact.kind === 'status' && fact.isCompacting) {
    records.push({ type: 'compaction_progress', ...own, detail: before.stage === 'compacting' ? 'heartbeat' : 'compacting' });
  }
  if (fact.kind === 'boundary' && after.stage === 'bounded' && before.stage !== 'bounded') {
    records.push({ type: 'compaction_progress', ...own, detail: 'boundary' });
  }
  return records;
}

function endRecord({ requestId, uuid, tokens }: Operation, settlement: Settlement): RecordDraft {
  if (settlement.status === 'rejected') return { type: 'compaction_rejected', requestId, reason: settlement.reason };
  const outcome = settlement.status === 'unconfirmed' ? 'unknown' : settlement.status;
  return {
    type: 'compaction_ended',
    origin: 'manual',
    requestId,
    nativeKeys: { command_uuid: uuid },
    outcome,
    ...(outcome === 'completed' ? optional('tokens', tokens) : {}),
    ...(settlement.status === 'failed'
      ? { ...optional('hint', settlement.hint), ...optional('message', settlement.message) }
      : {}),
  };
}
