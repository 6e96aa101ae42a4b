import type { RecordDraft, Step } from '@native-compaction/core';
import { LineFrame, optional, text, Unparsed, unparsedRecord } from '@native-compaction/transport';
import { isBuiltinCompact } from './catalog.ts';
import { contextFrame } from './commands.ts';
import { assistantRecords, userRecords } from './conversation.ts';
import { stepForeign } from './foreign.ts';
import { type ClaudeIn, type ClaudeMessage, type ClaudeOut, type Fact, toFact } from './frames.ts';
import { stepOperation } from './operation.ts';
import { childOf, type PieceFact } from './pieces.ts';
import { present } from './present.ts';
import { stepRequest, stepRequestCancelled, stepResponse } from './requests.ts';
import type { ClaudeState } from './state.ts';
import { stepTurns } from './turns.ts';

export type ClaudeStep = Step<ClaudeState, ClaudeOut>;

/** Steps the machine with one frame the process wrote. A piece of text leaves the very same state behind. */
export function stepFrame(previous: ClaudeState, frame: ClaudeIn, n: number): ClaudeStep {
  if (frame instanceof LineFrame) return stepPiece(previous, frame.fact);
  const fact = toFact(frame);
  if (fact.kind === 'delta' || fact.kind === 'quiet') return stepPiece(previous, fact);
  return stepMessage({ ...previous, n }, frame, fact, n);
}

const nothing: readonly RecordDraft[] = [];

function stepPiece(state: ClaudeState, fact: PieceFact): ClaudeStep {
  if (fact.kind === 'quiet') return { state, records: nothing };
  const { taskId, index, text } = fact;
  const key = taskId ?? '';
  // A child agent may be called like a member that every object has.
  const messageId = Object.hasOwn(state.messages, key) ? state.messages[key] : undefined;
  return { state, records: [{ type: 'assistant_delta', taskId, messageId, index, text }] };
}

function stepMessage(state: ClaudeState, frame: ClaudeMessage, fact: Exclude<Fact, PieceFact>, n: number): ClaudeStep {
  switch (fact.kind) {
    case 'response':
      return stepResponse(state, fact);
    case 'request':
      return stepRequest(state, fact, n);
    case 'request_cancelled':
      return stepRequestCancelled(state, fact.id);
    case 'compaction_context':
      return { state, records: [], writes: [{ frame: contextFrame(fact.id, fact.text), ref: { kind: 'answer', id: fact.id } }] };
    case 'commands':
      return { state: { ...state, isBuiltin: isBuiltinCompact(fact.commands) }, records: [] };
    case 'message': {
      const key = childOf(frame) ?? '';
      return { state: { ...state, messages: { ...state.messages, [key]: fact.messageId } }, records: [] };
    }
    case 'background':
      return { state: { ...state, hasBackgroundTasks: fact.isRunning }, records: [] };
    case 'task_started':
      return { state, records: [{ type: 'task_started', taskId: fact.taskId }] };
    case 'task_ended': {
      const outcome = fact.status === 'completed' ? 'completed' : fact.status === 'stopped' ? 'aborted' : 'failed';
      return { state, records: [{ type: 'task_ended', taskId: fact.taskId, outcome }] };
    }
    case 'assistant':
      return { state: withPosition(state, frame), records: assistantRecords(fact.frame, n) };
    case 'user':
      return { state: withPosition(state, frame), records: userRecords(fact.frame, n) };
    default:
      return stepSession(state, frame, fact, n);
  }
}

/** Frames a compaction or a turn may rest on. Those of a child agent or of another session settle nothing (R6). */
function stepSession(state: ClaudeState, frame: ClaudeMessage, fact: Fact, n: number): ClaudeStep {
  if (childOf(frame) !== undefined || isForeignSession(state, frame)) return { state, records: [rawRecord(frame, n)] };
  const identified = identify(fact.kind === 'oversize' ? { ...state, droppedAt: n } : state, frame, fact);
  const { state: proven, records, settlement, isOurs } = stepOperation(identified.state, fact, n);
  const foreign = isOurs && fact.kind !== 'result' ? { state: proven, records: [] } : stepForeign(proven, fact);
  const turns = stepTurns(foreign.state, fact, isOurs, settlement);
  const all = [...identified.records, ...records, ...foreign.records, ...turns.records, ...plainRecords(frame, fact, n, isOurs)];
  const known = fact.kind === 'boundary' ? { ...turns.state, boundary: fact.uuid } : turns.state;
  return { state: withPosition(known, frame), records: all, ...optional('settlement', settlement) };
}

function plainRecords(frame: ClaudeMessage, fact: Fact, n: number, isOurs: boolean): RecordDraft[] {
  if (fact.kind === 'command_text' && !isOurs && fact.text !== '') return [{ type: 'assistant_text', text: fact.text }];
  if (fact.kind === 'unknown') return [rawRecord(frame, n)];
  return frame instanceof Unparsed ? [unparsedRecord(frame, n)] : [];
}

/** What the process says of itself: its session (its first frame and each `init` name it) and what it offers. */
function identify(state: ClaudeState, frame: ClaudeMessage, fact: Fact): { state: ClaudeState; records: readonly RecordDraft[] } {
  const sessionId = sessionOf(frame);
  const isNews = sessionId !== undefined && sessionId !== state.session && (state.session === undefined || fact.kind === 'init');
  const known = { ...state, ...offered(state, fact), ...(isNews ? { session: sessionId, nativeId: sessionId } : {}) };
  const isOther = isNews && sessionId !== state.nativeId;
  return { state: known, records: isOther ? [{ type: 'session_identified', nativeId: sessionId }] : [] };
}

function offered(state: ClaudeState, fact: Fact): Partial<ClaudeState> {
  if (fact.kind === 'lifecycle') return { hasLifecycle: true }; // its own announcement
  if (fact.kind !== 'init' || !fact.capabilities) return {};
  return {
    hasLifecycle: state.hasLifecycle === true || fact.capabilities.includes('msg_lifecycle_v1'),
    canCancelQueued: fact.capabilities.includes('interrupt_cancel_queued_v1'),
  };
}

/** While our operation is open, a frame under another session id is not ours to judge by. */
function isForeignSession(state: ClaudeState, frame: ClaudeMessage): boolean {
  const sessionId = sessionOf(frame);
  return state.operation !== undefined && state.session !== undefined && sessionId !== undefined && sessionId !== state.session;
}

function sessionOf(frame: ClaudeMessage): string | undefined {
  return frame instanceof Unparsed ? undefined : text(frame.session_id) || undefined;
}

function withPosition(state: ClaudeState, frame: ClaudeMessage): ClaudeState {
  if (frame instanceof Unparsed || childOf(frame) !== undefined) return state;
  const isRow =
    frame.type === 'assistant' || frame.type === 'user' || (frame.type === 'system' && frame.subtype === 'compact_boundary');
  const uuid = isRow ? text(frame.uuid) : undefined;
  return uuid === undefined ? state : { ...state, position: uuid };
}

function rawRecord(frame: ClaudeMessage, n: number): RecordDraft {
  return { type: 'raw', frame: n, native: present(frame) };
}
