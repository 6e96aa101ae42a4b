import type { Admission, RecordDraft, RejectReason } from '@native-compaction/core';
import { number, object, optional, text } from '@native-compaction/transport';
import { stateFrame } from './commands.ts';
import type { PiOut, ResponseFact } from './frames.ts';
import { hasBegun, type NativeState, type PiState } from './state.ts';
import { turnEnd } from './turn-end.ts';

/** The one edge of gate and inputs (G1): settled, nothing of ours on its way, no compaction of anybody, no shell command. */
export function busyReason(state: PiState): RejectReason | undefined {
  if (state.phase !== 'open') return state.phase === 'ended' ? 'closed' : 'not_ready';
  if (state.operation || state.foreign > 0 || state.isAutomatic) return 'busy_compaction';
  return state.run || state.input || state.shells.length > 0 ? 'busy_turn' : undefined;
}

/** G4: what the events say, and then Pi's own word, asked afresh: an extension may act without an event. */
export function admit(state: PiState, since: number): Admission<PiOut> {
  const busy = busyReason(state);
  if (busy) return { reject: busy };
  if (state.pending > 0) return { reject: 'queued_input' };
  const { read } = state;
  if (!read || read.n < since) {
    const id = readId(state.n);
    return { ask: [{ frame: stateFrame(id), ref: { kind: 'read', id } }] };
  }
  if (read.answer === undefined) return { wait: true };
  if (read.answer === 'failed') return { reject: 'not_ready' };
  if (read.answer.isCompacting) return { reject: 'busy_compaction' };
  if (read.answer.isStreaming || read.answer.isBashRunning) return { reject: 'busy_turn' };
  return { go: true };
}

export function readId(n: number): string {
  return `native-compaction-state-${n}`;
}

/** A state that does not say whether Pi is at work is none: the gate may not take silence for idle. */
export function toNativeState({ isSuccess, data }: ResponseFact): NativeState | 'failed' {
  if (!isSuccess || typeof data?.isStreaming !== 'boolean' || typeof data.isCompacting !== 'boolean') return 'failed';
  const pending = number(data.pendingMessageCount);
  if (pending === undefined) return 'failed';
  return {
    // In process Pi says itself whether it is idle; that also covers a retry's back-off and a queued continuation.
    isStreaming: data.isStreaming === true || (data.isIdle === false && data.isCompacting !== true),
    isCompacting: data.isCompacting === true,
    isBashRunning: data.isBashRunning === true,
    pending,
    ...optional('isLooping', typeof data.isLooping === 'boolean' ? data.isLooping : undefined),
    ...optional('sessionId', text(data.sessionId)),
    ...optional('leafId', text(data.leafId)),
    isPromptPatched: object(object(data.model)?.compat)?.supportsMidConvoSystemMessages === true,
  };
}

/** What became of an input that waited for the look: a refusal while somebody else runs says that Pi had no place for it yet. */
export function withLookedInput(state: PiState, isStreaming: boolean): { state: PiState; records: RecordDraft[] } {
  const { input, ...rest } = state;
  if (input?.stage === 'handled')
    return { state: rest, records: [{ type: 'input_ended', inputId: input.id, outcome: 'completed' }] };
  if (input?.stage !== 'refused') return { state, records: [] };
  const isInTheWay = isStreaming || state.foreign > 0 || state.isAutomatic; // a run that began has held it already
  if (isInTheWay) return { state: rest, records: [{ type: 'input_held', inputId: input.id }] };
  const refused = { type: 'input_ended' as const, inputId: input.id, outcome: 'undelivered' as const };
  return { state: rest, records: [{ ...refused, ...optional('message', input.message) }] };
}

/** What a look at Pi's own state corrects: runs, compactions and sessions that came or went without an event. */
export function withNativeState(state: PiState, native: NativeState): { state: PiState; records: RecordDraft[] } {
  const looked = withLookedInput(state, native.isStreaming);
  const records = [...looked.records];
  let next = looked.state;
  if (native.sessionId !== undefined && native.sessionId !== state.sessionId) {
    next = { ...next, sessionId: native.sessionId };
    records.push({ type: 'session_identified', nativeId: native.sessionId });
  }
  if (next.foreign > 0 && !native.isCompacting) {
    next = { ...next, foreign: 0 };
    records.push({ type: 'compaction_ended', origin: 'foreign', outcome: 'unknown' });
  }
  // Only in process: the end of a loop that a listener of the host has hidden from ours.
  const isOver = native.isLooping === false && !native.isStreaming && next.run?.loop !== 'over';
  if (next.run && isOver && !hasBegun(next.input)) {
    const { run, ...rest } = next;
    next = rest;
    records.push(turnEnd(run, false));
  }
  if (native.isStreaming && !next.run && next.input === undefined) {
    next = { ...next, run: {} };
    records.push({ type: 'turn_started' });
  }
  return { state: { ...next, pending: native.pending, isPromptPatched: native.isPromptPatched }, records };
}
