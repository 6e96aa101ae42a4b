import type { RecordDraft, Step, TurnOutcome } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stateFrame } from './commands.ts';
import { look } from './compactions.ts';
import type { PiOut, ResponseFact } from './frames.ts';
import { readId } from './idle.ts';
import { hasBegun, type OwnInput, type PiState, type Run } from './state.ts';

type TurnStep = Step<PiState, PiOut>;

/** A run began. Retries, overflow recovery and queued messages begin again inside it, and are the same run. */
export function startRun(state: PiState): TurnStep {
  if (state.run) return { state, records: [] };
  const { input, ...rest } = state;
  // Told of once its message is there: until then it may be somebody else's.
  if (input?.stage === 'started') return { state: { ...state, run: { inputId: input.id } }, records: [] };
  const records: RecordDraft[] = [{ type: 'turn_started' }];
  if (input?.stage !== 'refused') return { state: { ...state, run: {} }, records };
  return { state: { ...rest, run: {} }, records: [...records, { type: 'input_held', inputId: input.id }] };
}

/** A user's message is in the conversation: ours, if Pi said that it had begun with ours. */
export function receiveUser(state: PiState, said: string): TurnStep {
  const { input, run } = state;
  if (input?.stage !== 'started' || run?.inputId !== input.id) return { state, records: [] };
  return {
    state: { ...state, input: { ...input, stage: 'received', isChanged: said !== input.text } },
    records: [
      { type: 'input_received', inputId: input.id },
      { type: 'turn_started', inputIds: [input.id] },
    ],
  };
}

/** The only idle edge that Pi gives: `agent_end` may be followed by a retry, a compaction or a queued message. */
export function settleRun(state: PiState, isAborted: boolean): TurnStep {
  const { run, input, ...rest } = state;
  if (!hasBegun(input)) {
    if (!run) return { state, records: [] };
    return { state: { ...rest, ...optional('input', input) }, records: [turnEnd(run, isAborted)], writes: look(state) };
  }
  const isProven = input.stage === 'received' && (input.isChanged !== true || run?.hasLooped === true);
  if (isAborted || isProven) {
    const ended = turnEnd(run, isAborted);
    const { outcome } = ended;
    return { state: rest, records: [ended, { type: 'input_ended', inputId: input.id, outcome }], writes: look(state) };
  }
  return settleWithoutProof(state, input);
}

/**
 * Pi settles a run that it could not begin because another had begun as well, and that one goes on. Ours is then certainly
 * not in the conversation, unless its message may have been there under another text.
 */
function settleWithoutProof(state: PiState, input: OwnInput): TurnStep {
  const { run, input: _input, ...rest } = state;
  const isUntold = run === undefined || run.inputId !== undefined;
  const started: RecordDraft[] = isUntold ? [{ type: 'turn_started' }] : [];
  if (run?.hasLooped) {
    const over: RecordDraft = isUntold
      ? { type: 'input_ended', inputId: input.id, outcome: 'undelivered' }
      : { type: 'input_held', inputId: input.id };
    return { state: rest, records: [...started, turnEnd(run, false), over], writes: look(state) };
  }
  const next: PiState = { ...rest, run: {} };
  if (input.stage === 'received') {
    return { state: next, records: [{ type: 'input_ended', inputId: input.id, outcome: 'unconfirmed' }] };
  }
  return { state: next, records: [...started, { type: 'input_held', inputId: input.id }] };
}

function turnEnd(run: Run | undefined, isAborted: boolean) {
  const outcome: TurnOutcome = isAborted ? 'aborted' : (run?.outcome ?? 'failed');
  return {
    type: 'turn_ended' as const,
    outcome,
    kind: 'prompt' as const,
    ...optional('usage', run?.usage),
    ...(outcome === 'failed' ? optional('message', run?.message) : {}),
  };
}

/** The answer to our prompt: refused, begun, or handled by an extension, which may have done anything. */
export function stepPrompt(state: PiState, { isSuccess, data }: ResponseFact): TurnStep {
  const { input, ...rest } = state;
  if (input?.stage !== 'written') return { state, records: [] };
  if (isSuccess && data?.disposition !== 'handled') {
    return { state: { ...state, input: { ...input, stage: 'started' } }, records: [] };
  }
  // A refusal while somebody else runs: Pi had no place for it yet, and it is the next one again.
  if (!isSuccess && state.run) return { state: rest, records: [{ type: 'input_held', inputId: input.id }] };
  const id = readId(state.n);
  return {
    state: { ...state, input: { ...input, stage: isSuccess ? 'handled' : 'refused' } },
    records: isSuccess ? [{ type: 'input_received', inputId: input.id }] : [],
    writes: [{ frame: stateFrame(id), ref: { kind: 'read', id } }],
  };
}
