import type { RecordDraft, Settlement, Step, TurnOutcome } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stepItem, stepTurnCompleted, stepTurnStarted } from './binding.ts';
import { itemRecords } from './conversation.ts';
import type { CodexOut, Fact } from './frames.ts';
import { withBinding } from './operation.ts';
import type { CodexState } from './state.ts';

type TurnStep = Step<CodexState, CodexOut>;

/** A turn began on our thread: one of our inputs', our compaction's, or somebody else's (a goal, the queue). */
export function startTurn(state: CodexState, turnId: string, n: number): TurnStep {
  const isOwn = state.ownTurns.includes(turnId);
  const record: RecordDraft = {
    type: 'turn_started',
    turnId,
    ...(isOwn && state.input?.turnId === turnId ? { inputIds: [state.input.id] } : {}),
  };
  const running: CodexState = { ...state, turnId, lastTurnId: turnId, queueMovedAt: 0 };
  if (isOwn) return { state: running, records: [record] };
  if (!state.operation) return { state: { ...running, contestedAt: n }, records: [record] };
  const step = withBinding(running, stepTurnStarted(state.operation, turnId, n));
  return { ...step, records: [record, ...step.records] };
}

/** The end of a turn is the idle edge (G1): `thread/status/changed` comes before it and decides nothing. */
export function endTurn(state: CodexState, fact: Extract<Fact, { kind: 'turn_completed' }>, n: number): TurnStep {
  const { turnId } = fact;
  const isBound = state.operation?.bound === turnId;
  // Turn ids are made in the order of time (UUIDv7), so a repeated end of an older turn is no new one.
  const isNew = turnId > (state.lastTurnId ?? '') && !state.ownTurns.includes(turnId);
  const bound = state.operation ? withBinding(state, stepTurnCompleted(state.operation, fact, isNew, n)) : { state, records: [] };
  const { turnId: running, automatic, ...rest } = bound.state;
  const isCurrent = running === turnId || running === '';
  const outcome = outcomeOf(fact, isBound ? bound.settlement : undefined);
  const records: RecordDraft[] = [...bound.records];
  if (automatic !== undefined && isCurrent)
    records.push({ type: 'compaction_ended', origin: 'automatic', outcome: fact.status === 'failed' ? 'failed' : 'unknown' });
  records.push({
    type: 'turn_ended',
    turnId,
    outcome,
    kind: isBound ? 'compaction' : 'prompt',
    ...(state.turnUsage?.turnId === turnId ? { usage: state.turnUsage.usage } : {}),
    ...(outcome === 'failed' && !isBound ? optional('message', fact.message) : {}),
  });
  let next: CodexState = isCurrent ? rest : bound.state;
  if (next.input?.turnId === turnId) {
    const { input, ...without } = next;
    records.push({ type: 'input_ended', inputId: input.id, outcome });
    next = without;
  }
  if (next.turnId === undefined && !next.input) records.push({ type: 'idle' });
  return { ...bound, state: next, records };
}

/** A compaction item of ours moves the proof; one in another turn is an automatic compaction and settles nothing (R6). */
export function stepItemFact(
  state: CodexState,
  fact: Extract<Fact, { kind: 'item_started' | 'item_completed' }>,
  n: number,
): TurnStep {
  if (fact.type !== 'contextCompaction') return { state, records: itemRecords(fact, n, {}) };
  const { operation } = state;
  if (operation?.candidates.some(({ turnId }) => turnId === fact.turnId)) return withBinding(state, stepItem(operation, fact, n));
  const keys = { origin: 'automatic' as const, nativeKeys: { turnId: fact.turnId, itemId: fact.itemId } };
  if (fact.kind === 'item_started')
    return { state: { ...state, automatic: fact.itemId }, records: [{ type: 'compaction_started', ...keys }] };
  const { automatic: _over, ...rest } = state;
  return { state: rest, records: [{ type: 'compaction_ended', ...keys, outcome: 'completed' }] };
}

function outcomeOf({ status }: Extract<Fact, { kind: 'turn_completed' }>, settlement: Settlement | undefined): TurnOutcome {
  if (settlement?.status === 'completed' || settlement?.status === 'failed' || settlement?.status === 'aborted')
    return settlement.status;
  return status === 'completed' ? 'completed' : status === 'interrupted' ? 'aborted' : 'failed';
}
