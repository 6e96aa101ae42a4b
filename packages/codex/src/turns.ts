import type { RecordDraft, Step } from '@native-compaction/core';
import { stepItem, stepTurnStarted } from './binding.ts';
import { itemRecords } from './conversation.ts';
import type { CodexOut, Fact } from './frames.ts';
import { stepUserMessage } from './inputs.ts';
import { withBinding } from './operation.ts';
import type { CodexState } from './state.ts';
import { isOver } from './turn-end.ts';

type TurnStep = Step<CodexState, CodexOut>;

/** A turn began on our thread: one of our inputs', our compaction's, or somebody else's (a goal, the queue). */
export function startTurn(state: CodexState, turnId: string, n: number): TurnStep {
  if (isOver(state, turnId) || state.turnId === turnId) return { state, records: [] };
  const isOwn = state.ownTurns.includes(turnId);
  const record: RecordDraft = {
    type: 'turn_started',
    turnId,
    ...(isOwn && state.input?.turnId === turnId ? { inputIds: [state.input.id] } : {}),
  };
  // A turn of ours takes nothing out of the vendor's queue, and may be told of behind a change that came after it.
  if (isOwn) return { state: { ...state, turnId, lastTurnId: turnId }, records: [record] };
  const running: CodexState = { ...state, turnId, lastTurnId: turnId, queueMovedAt: 0 };
  // It may be our input's, whose answer is still to come.
  const mayBeOwn = state.input !== undefined && state.input.turnId === undefined;
  if (!state.operation) return { state: { ...running, isContested: state.isContested || !mayBeOwn }, records: [record] };
  const step = withBinding(running, stepTurnStarted(state.operation, turnId, n));
  return { ...step, records: [record, ...step.records] };
}

/** A compaction item of ours moves the proof; one in another turn is an automatic compaction and settles nothing (R6). */
export function stepItemFact(
  state: CodexState,
  fact: Extract<Fact, { kind: 'item_started' | 'item_completed' }>,
  n: number,
): TurnStep {
  if (fact.type === 'fileChange' && fact.kind === 'item_started')
    return { state: { ...state, changes: { [fact.itemId]: fact.item.changes } }, records: itemRecords(fact, n, {}) };
  if (fact.type === 'userMessage') return stepUserMessage(state, fact);
  if (fact.type !== 'contextCompaction') return { state, records: itemRecords(fact, n, {}) };
  const { operation } = state;
  if (operation?.candidates.some(({ turnId }) => turnId === fact.turnId)) return withBinding(state, stepItem(operation, fact, n));
  if (isOver(state, fact.turnId)) return { state, records: [] };
  const keys = { origin: 'automatic' as const, nativeKeys: { turnId: fact.turnId, itemId: fact.itemId } };
  if (fact.kind === 'item_started')
    return { state: { ...state, automatic: fact.itemId }, records: [{ type: 'compaction_started', ...keys }] };
  const { automatic: _over, ...rest } = state;
  return { state: rest, records: [{ type: 'compaction_ended', ...keys, outcome: 'completed' }] };
}
