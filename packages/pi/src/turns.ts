import type { RecordDraft, Step } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stateFrame } from './commands.ts';
import { look } from './compactions.ts';
import type { PiOut, ResponseFact } from './frames.ts';
import { readId } from './idle.ts';
import type { PiState } from './state.ts';

type TurnStep = Step<PiState, PiOut>;

/** A run began. Retries, overflow recovery and queued messages begin again inside it, and are the same run. */
export function startRun(state: PiState): TurnStep {
  if (state.run) return { state, records: [] };
  const inputId = state.input?.stage === 'started' ? state.input.id : undefined;
  const record: RecordDraft = { type: 'turn_started', ...(inputId === undefined ? {} : { inputIds: [inputId] }) };
  return { state: { ...state, run: optional('inputId', inputId) }, records: [record] };
}

/** The only idle edge that Pi gives: `agent_end` may be followed by a retry, a compaction or a queued message. */
export function settleRun(state: PiState, isAborted: boolean): TurnStep {
  const { run, input, ...rest } = state;
  const isOurs = input?.stage === 'started';
  if (!run && !isOurs) return { state, records: [] };
  const outcome = isAborted ? 'aborted' : (run?.outcome ?? 'failed');
  const records: RecordDraft[] = [
    {
      type: 'turn_ended',
      outcome,
      kind: 'prompt',
      ...optional('usage', run?.usage),
      ...(outcome === 'failed' ? optional('message', run?.message) : {}),
    },
  ];
  if (isOurs) records.push({ type: 'input_ended', inputId: input.id, outcome });
  return { state: isOurs || !input ? rest : { ...rest, input }, records, writes: look(state) };
}

/** The answer to our prompt: refused, started, or handled by an extension, which may have done anything. */
export function stepPrompt(state: PiState, { isSuccess, data }: ResponseFact): TurnStep {
  const { input, ...rest } = state;
  if (input?.stage !== 'written') return { state, records: [] };
  if (!isSuccess) return { state: rest, records: [{ type: 'input_ended', inputId: input.id, outcome: 'undelivered' }] };
  const records: RecordDraft[] = [{ type: 'input_received', inputId: input.id }];
  if (data?.disposition !== 'handled') return { state: { ...state, input: { ...input, stage: 'started' } }, records };
  const id = readId(state.n);
  return {
    state: { ...state, input: { ...input, stage: 'handled' } },
    records,
    writes: [{ frame: stateFrame(id), ref: { kind: 'read', id } }],
  };
}
