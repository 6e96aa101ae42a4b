import type { RecordDraft, Step } from '@native-compaction/core';
import { object, optional, text } from '@native-compaction/transport';
import type { CodexOut, Fact } from './frames.ts';
import type { CodexState } from './state.ts';

type InputStep = Step<CodexState, CodexOut>;

/** The answer names the turn; an error means that the input was not taken. There is one answer. */
export function inputAnswered(state: CodexState, fact: Extract<Fact, { kind: 'response' }>): InputStep {
  const { input, ...rest } = state;
  if (!input || input.isReceived) return { state, records: [] };
  if (fact.error) {
    const { message } = fact.error;
    return { state: rest, records: [{ type: 'input_ended', inputId: input.id, outcome: 'undelivered', message }] };
  }
  return received(state, input.id, text(object(fact.result?.turn)?.id));
}

/** The message's item carries our id, so it tells the same where the answer is late. */
export function stepUserMessage(
  state: CodexState,
  { item, turnId }: Extract<Fact, { kind: 'item_started' | 'item_completed' }>,
): InputStep {
  const { input } = state;
  if (!input || input.isReceived || text(item.clientId) !== input.id) return { state, records: [] };
  return received(state, input.id, turnId);
}

function received(state: CodexState, inputId: string, turnId: string | undefined): InputStep {
  const records: RecordDraft[] = [{ type: 'input_received', inputId }];
  const ownTurns = turnId ? [...state.ownTurns, turnId].slice(-32) : state.ownTurns;
  const over = state.ended.find((turn) => turn.turnId === turnId);
  if (!over)
    return { state: { ...state, ownTurns, input: { id: inputId, isReceived: true, ...optional('turnId', turnId) } }, records };
  const { input: _done, ...rest } = state;
  records.push({ type: 'input_ended', inputId, outcome: over.outcome });
  if (rest.turnId === undefined) records.push({ type: 'idle' });
  return { state: { ...rest, ownTurns }, records };
}
