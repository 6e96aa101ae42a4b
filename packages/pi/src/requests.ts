import type { Step, Write } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { cancelDialogFrame, stateFrame } from './commands.ts';
import { answerCompaction } from './compactions.ts';
import type { Fact, PiOut, ResponseFact } from './frames.ts';
import { readId, toNativeState, withLookedInput, withNativeState } from './idle.ts';
import { hasBegun, OPEN_ID, type PiState } from './state.ts';
import { startRun, stepPrompt } from './turns.ts';

type RequestStep = Step<PiState, PiOut>;

/** Commands after which the process may have another session. */
const switching = ['new_session', 'switch_session', 'fork', 'clone'];

/** The answer to a command, told by its id; an id nobody knows is somebody else's. */
export function stepResponse(state: PiState, response: ResponseFact, n: number): RequestStep {
  const { id } = response;
  if (id === OPEN_ID) return opened(state, response);
  if (id !== '' && id === state.cancelId) {
    const { cancelId: _answered, ...rest } = state;
    return { state: rest, records: [], answered: [id] };
  }
  if (id !== '' && id === state.read?.id) {
    const answer = toNativeState(response);
    const read = { ...state.read, answer };
    if (answer === 'failed') return { ...withLookedInput({ ...state, read }, false), answered: [id] };
    return { ...withNativeState({ ...state, read }, answer), answered: [id] };
  }
  if (id !== '' && id === state.operation?.operationId) return answerCompaction(state, response, n);
  if (id !== '' && id === state.input?.id) return stepPrompt(state, response);
  return foreignResponse(state, response);
}

function foreignResponse(state: PiState, { id, command, isSuccess, data }: ResponseFact): RequestStep {
  if (command === 'bash') return { state: { ...state, shells: state.shells.filter((shell) => shell !== id) }, records: [] };
  // The first that has begun gets its loop; one of ours that begins behind it does not (1.4.0 to 1.6.0).
  if (command === 'prompt' && data?.disposition === 'started' && !hasBegun(state.input)) return startRun(state);
  if (!isSuccess || data?.cancelled === true || !switching.includes(command)) return { state, records: [] };
  const read = readId(state.n);
  const writes: Write<PiOut>[] = [{ frame: stateFrame(read), ref: { kind: 'read', id: read } }];
  return { state, records: [], writes };
}

/** The opening read is the idle edge of a fresh process (G1). */
function opened(state: PiState, response: ResponseFact): RequestStep {
  const native = toNativeState(response);
  const answered = [OPEN_ID];
  const refuse = (message: string): RequestStep => ({ state, records: [{ type: 'session_refused', message }], answered });
  if (state.phase !== 'opening') return { state, records: [], answered };
  if (native === 'failed') return refuse(response.error ?? 'Pi gave no state');
  const { resume, version } = state.facts;
  // Pi also takes the beginning of an id for a session's (1.4.0 to 1.6.0).
  if (resume !== undefined && native.sessionId !== resume) return refuse(`Pi opened session ${native.sessionId}, not ${resume}`);
  const { pending, isPromptPatched } = native;
  const next: PiState = { ...state, phase: 'open', pending, isPromptPatched, ...optional('sessionId', native.sessionId) };
  const foreign = native.isCompacting ? 1 : 0;
  return {
    state: { ...next, foreign, ...(native.isStreaming ? { run: {} } : {}) },
    records: [
      { type: 'session_opened', ...optional('nativeId', native.sessionId), ...optional('vendorVersion', version) },
      ...(native.isStreaming ? [{ type: 'turn_started' as const }] : []),
      ...(native.isCompacting ? [{ type: 'compaction_started' as const, origin: 'foreign' as const }] : []),
    ],
    answered,
  };
}

/** Dialogs of extensions that wait for an answer; all else of their interface is said and forgotten. */
const dialogs = ['select', 'confirm', 'input', 'editor'];

/** A dialog gets the vendor's own cancel, so that nothing hangs for want of an answer (T8). */
export function stepQuestion(state: PiState, { id, method }: Extract<Fact, { kind: 'question' }>): RequestStep {
  if (!dialogs.includes(method)) return { state, records: [] };
  return {
    state,
    records: [{ type: 'native_request_refused', method: `extension_ui_request ${method}` }],
    writes: [{ frame: cancelDialogFrame(id), ref: { kind: 'answer', id } }],
  };
}
