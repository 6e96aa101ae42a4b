import type { RecordDraft, Step, TurnOutcome, Write } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stateFrame } from './commands.ts';
import { look } from './compactions.ts';
import type { Fact, PiOut, ResponseFact } from './frames.ts';
import { readId } from './idle.ts';
import { hasBegun, type OwnInput, type PiState, type Run } from './state.ts';
import { turnEnd } from './turn-end.ts';

type TurnStep = Step<PiState, PiOut>;

/** A run began. Retries, overflow recovery and queued messages begin again inside it, and are the same run. */
export function startRun(state: PiState): TurnStep {
  const { input, ...rest } = state;
  if (state.run) return { state: { ...state, run: { ...state.run, loop: 'on' } }, records: [] };
  // Told of once its message is there: until then it may be somebody else's.
  if (input?.stage === 'started') return { state: { ...state, run: { inputId: input.id, loop: 'on' } }, records: [] };
  const records: RecordDraft[] = [{ type: 'turn_started' }];
  if (input?.stage !== 'refused') return { state: { ...state, run: { loop: 'on' } }, records };
  return { state: { ...rest, run: { loop: 'on' } }, records: [...records, { type: 'input_held', inputId: input.id }] };
}

/** The loop of a run ended; a retry, a compaction or a queued message may begin it again. */
export function endLoop(state: PiState): TurnStep {
  const { run = hasBegun(state.input) ? { inputId: state.input.id } : undefined } = state;
  return { state: { ...state, ...optional('run', run && { ...run, loop: 'over' as const }) }, records: [] };
}

/** A user's message is in the conversation: ours, if Pi said that it had begun with ours. */
export function receiveUser(state: PiState, said: string): TurnStep {
  const { input, run } = state;
  if (input?.stage !== 'started' || run?.inputId !== input.id) return { state, records: [] };
  const isChanged = said !== input.text;
  // Another run began as well, and one of the two could not: this is ours under another text, or theirs.
  if (isChanged && input.isContested) return { state: { ...state, input: { ...input, isChanged } }, records: [] };
  return {
    state: { ...state, input: { ...input, stage: 'received', isChanged } },
    records: [
      { type: 'input_received', inputId: input.id },
      { type: 'turn_started', inputIds: [input.id] },
    ],
  };
}

/** The only idle edge that Pi gives: `agent_end` may be followed by a retry, a compaction or a queued message. */
export function settleRun(state: PiState, isAborted: boolean): TurnStep {
  const { run, input, ...rest } = state;
  if (run ? run.loop === 'on' : hasBegun(input)) return settleRival(state);
  if (!run) return { state, records: [] };
  const ended = turnEnd(run, isAborted);
  if (!hasBegun(input)) return { state: { ...rest, ...optional('input', input) }, records: [ended], writes: look(state) };
  const isUntold = input.stage === 'started' && run.inputId === input.id;
  const started: RecordDraft[] = isUntold ? [{ type: 'turn_started' }] : [];
  return { state: rest, records: [...started, ended, ownEnd(input, run, ended.outcome)], writes: look(state) };
}

/**
 * Pi settles a run that it could not begin, because another had begun as well, before the loop of that one is over (1.4.0 to
 * 1.6.0), and takes itself for idle. The loop goes on; ours was the other one if the loop is somebody else's.
 */
function settleRival(state: PiState): TurnStep {
  const { input, ...rest } = state;
  const id = readId(state.n);
  const writes: Write<PiOut>[] = [{ frame: stateFrame(id), ref: { kind: 'read', id } }];
  if (!hasBegun(input)) return { state, records: [], writes };
  if (state.run && state.run.inputId !== input.id)
    return { state: rest, records: [{ type: 'input_held', inputId: input.id }], writes };
  return { state: { ...state, input: { ...input, isContested: true } }, records: [], writes };
}

/** What became of ours when the run ends that it was in, or that was in its way. */
function ownEnd(input: OwnInput, run: Run, outcome: TurnOutcome): RecordDraft {
  const inputId = input.id;
  if (run.inputId !== inputId) return { type: 'input_held', inputId };
  if (input.isContested && input.isChanged) return { type: 'input_ended', inputId, outcome: 'unconfirmed' };
  if (input.stage === 'received' || outcome === 'aborted') return { type: 'input_ended', inputId, outcome };
  // A loop without a user's message was not ours if another run is told of; else a listener of the host may have hidden it.
  return input.isContested ? { type: 'input_held', inputId } : { type: 'input_ended', inputId, outcome: 'unconfirmed' };
}

/** In process the promise of our prompt says what the events cannot: it is rejected while the loop of another run is on. */
export function endPrompt(state: PiState, { id, isSuccess, isLooping }: Extract<Fact, { kind: 'prompt_over' }>): TurnStep {
  const { input, run, ...rest } = state;
  if (!hasBegun(input) || input.id !== id) return { state, records: [] };
  const isTheirs = run !== undefined && run.inputId !== id;
  const isLost = !isSuccess && isLooping && input.stage === 'started' && (isTheirs || input.isContested === true);
  if (isLost) {
    const { inputId: _ours, ...theirs } = run ?? {};
    const started: RecordDraft[] = isTheirs ? [] : [{ type: 'turn_started' }];
    return { state: { ...rest, run: theirs }, records: [...started, { type: 'input_held', inputId: id }] };
  }
  // A listener of the host that throws in front of ours hides the end of a run, or its message (1.4.0 to 1.6.0).
  const shown: OwnInput = input.stage === 'received' ? input : { ...input, isContested: true, isChanged: true };
  return settleRun({ ...state, input: shown, run: { ...run, inputId: id, loop: 'over' } }, false);
}

/** The answer to our prompt: refused, begun, or handled by an extension, which may have done anything. */
export function stepPrompt(state: PiState, { isSuccess, data, error }: ResponseFact): TurnStep {
  const { input, ...rest } = state;
  if (input?.stage !== 'written') return { state, records: [] };
  if (isSuccess && data?.disposition !== 'handled') {
    return { state: { ...state, input: { ...input, stage: 'started' } }, records: [] };
  }
  // A refusal while somebody else runs: Pi had no place for it yet, and it is the next one again.
  if (!isSuccess && state.run) return { state: rest, records: [{ type: 'input_held', inputId: input.id }] };
  const id = readId(state.n);
  return {
    state: {
      ...state,
      input: isSuccess ? { ...input, stage: 'handled' } : { ...input, stage: 'refused', ...optional('message', error) },
    },
    records: isSuccess ? [{ type: 'input_received', inputId: input.id }] : [],
    writes: [{ frame: stateFrame(id), ref: { kind: 'read', id } }],
  };
}
