import type { RecordDraft, Settlement, Step, Write } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import type { Operation } from './candidate.ts';
import { probeFrame } from './commands.ts';
import type { BindingStep } from './ending.ts';
import type { CodexOut } from './frames.ts';
import type { CodexState } from './state.ts';

/** Puts a step of the binding into the state, with the records, the probe and the settlement it means. */
export function withBinding(state: CodexState, { operation, settlement, probe }: BindingStep): Step<CodexState, CodexOut> {
  const before = state.operation;
  const records: RecordDraft[] = [];
  if (operation.bound !== undefined && before?.bound === undefined)
    records.push({ type: 'compaction_started', ...own(operation) });
  records.push(...progress(before, operation));
  const probeId = `native-compaction-probe-${probe}`;
  const writes: Write<CodexOut>[] =
    probe === undefined ? [] : [{ frame: probeFrame(probeId, state.threadId, probe), ref: { kind: 'probe', id: probeId } }];
  if (!settlement) return { state: { ...state, operation }, records, writes };
  const { operation: _settled, ...rest } = state;
  return { state: rest, records: [...records, endRecord(operation, settlement)], settlement };
}

export function own({ requestId, bound }: Operation) {
  return { origin: 'manual' as const, requestId, ...(bound === undefined ? {} : { nativeKeys: { turnId: bound } }) };
}

/** The stages of the bound turn's item, told once it is known to be ours. */
function progress(before: Operation | undefined, after: Operation): RecordDraft[] {
  const stageOf = (operation: Operation | undefined) =>
    operation?.candidates.find(({ turnId }) => turnId === operation.bound)?.stage;
  const [was, is] = [stageOf(before), stageOf(after)];
  if (is === was || is === undefined) return [];
  if (is === 'item_started') return [{ type: 'compaction_progress', ...own(after), detail: 'compacting' }];
  return is === 'item_completed' ? [{ type: 'compaction_progress', ...own(after), detail: 'boundary' }] : [];
}

function endRecord(operation: Operation, settlement: Settlement): RecordDraft {
  if (settlement.status === 'rejected')
    return { type: 'compaction_rejected', requestId: operation.requestId, reason: settlement.reason };
  const outcome = settlement.status === 'unconfirmed' ? 'unknown' : settlement.status;
  return {
    type: 'compaction_ended',
    ...own(operation),
    outcome,
    ...(settlement.status === 'completed' ? optional('tokens', settlement.tokens) : {}),
    ...(settlement.status === 'failed'
      ? { ...optional('hint', settlement.hint), ...optional('message', settlement.message) }
      : {}),
  };
}
