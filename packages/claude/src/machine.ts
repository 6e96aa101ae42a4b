import type { Admission, Entry, Machine, RecordDraft, RejectReason, Step } from '@native-compaction/core';
import { Unparsed } from '@native-compaction/transport';
import { isBuiltinCompact } from './catalog.ts';
import { allowFrame, compactFrame, denyFrame, initializeFrame, interruptFrame, userFrame } from './commands.ts';
import { assistantRecords, userRecords } from './conversation.ts';
import { stepForeign } from './foreign.ts';
import { type ClaudeIn, type ClaudeOut, type Fact, optional, text, toFact } from './frames.ts';
import { stepOperation } from './operation.ts';
import { dispatched } from './proof.ts';
import { answerRecords, stepRequest, stepRequestCancelled, stepResponse } from './requests.ts';
import { type ClaudeFacts, type ClaudeState, OPEN_ID } from './state.ts';
import { stepTurns } from './turns.ts';

type ClaudeStep = Step<ClaudeState, ClaudeOut>;

/** Claude Code's control surface as one pure machine; the facts were seen on 2.1.316 and 2.1.332. */
export const claudeMachine: Machine<ClaudeIn, ClaudeOut, ClaudeState, ClaudeFacts> = {
  init(facts) {
    const state: ClaudeState = {
      facts,
      n: 0,
      phase: 'opening',
      ...optional('nativeId', facts.nativeId),
      hasLifecycle: undefined,
      canCancelQueued: undefined,
      permissions: {},
    };
    return {
      state,
      records: [],
      writes: [{ frame: initializeFrame(OPEN_ID, facts.prompt), ref: { kind: 'open', id: OPEN_ID } }],
    };
  },

  step(previous, entry) {
    const state = { ...previous, n: entry.n };
    if (entry.dir === 'in') return stepFrame(state, entry.frame, entry.n);
    if (entry.dir === 'out') return stepOut(state, entry);
    if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
    return { state: entry.ask === 'compact' ? { ...state, requested: entry.requestId } : state, records: hostRecords(entry) };
  },

  busy: busyReason,

  admit(state, since): Admission<ClaudeOut> {
    const busy = busyReason(state);
    if (busy) return { reject: busy };
    const { read } = state;
    if (!read || read.n < since) {
      const id = `native-compaction-read-${state.n + 1}`;
      return { ask: [{ frame: initializeFrame(id), ref: { kind: 'read', id } }] };
    }
    if (!read.isAnswered) return { wait: true };
    if (read.isRunning) return { reject: 'busy_turn' };
    return state.isBuiltin ? { go: true } : { reject: 'not_builtin' };
  },

  compact: (_state, { operationId, instructions }) => compactFrame(operationId, instructions),
  input: (_state, { id, text: content }) => userFrame(id, content),
  cancel: (state, id) =>
    state.operation || state.turn || state.input || state.foreign
      ? interruptFrame(id, state.canCancelQueued !== false)
      : undefined,
  answer(state, id, decision) {
    if (!(id in state.permissions)) return undefined;
    if (decision === 'allow') return allowFrame(id, state.permissions[id]);
    return denyFrame(id, decision === 'deny' ? 'The host denied this tool call.' : decision.deny);
  },
  trail: ({ operation }) => ({ started: operation?.hasStarted ?? false, evidence: operation?.evidence ?? [] }),
};

function busyReason(state: ClaudeState): RejectReason | undefined {
  if (state.phase !== 'open') return state.phase === 'ended' ? 'closed' : 'not_ready';
  if (state.operation || state.foreign) return 'busy_compaction';
  return state.turn || state.input ? 'busy_turn' : undefined;
}

function hostRecords(entry: Entry<ClaudeIn, ClaudeOut> & { dir: 'host' }): RecordDraft[] {
  if (entry.ask === 'compact') return [{ type: 'compaction_requested', requestId: entry.requestId }];
  if (entry.ask === 'withdraw') return [{ type: 'compaction_rejected', requestId: entry.requestId, reason: entry.reason }];
  return [];
}

function stepOut(state: ClaudeState, { n, frame, ref }: Entry<ClaudeIn, ClaudeOut> & { dir: 'out' }): ClaudeStep {
  switch (ref.kind) {
    case 'compact': {
      const operation = dispatched(state.requested ?? ref.id, ref.id, n);
      const nativeKeys = { command_uuid: ref.id };
      const record: RecordDraft = {
        type: 'compaction_dispatched',
        requestId: operation.requestId,
        nativeKeys,
        ...optional('position', state.position),
      };
      return { state: { ...state, operation }, records: [record] };
    }
    case 'input':
      return {
        state: { ...state, input: { id: ref.id, stage: 'written' } },
        records: [{ type: 'input_written', inputId: ref.id }],
      };
    case 'read':
      return { state: { ...state, read: { id: ref.id, n, isAnswered: false, isRunning: false } }, records: [] };
    case 'cancel': {
      if (ref.id.includes(':')) return { state, records: [] };
      const operation = state.operation && { ...state.operation, cancelWritten: true };
      const target = state.operation?.uuid ?? state.input?.id;
      return {
        state: { ...state, ...optional('operation', operation), cancel: { id: ref.id, ...optional('target', target) } },
        records: [],
      };
    }
    case 'answer':
      return answerRecords(state, frame, ref.id);
    default:
      return { state, records: [] };
  }
}

function stepFrame(state: ClaudeState, frame: ClaudeIn, n: number): ClaudeStep {
  const fact = toFact(frame);
  switch (fact.kind) {
    case 'response':
      return stepResponse(state, fact);
    case 'request':
      return stepRequest(state, fact, n);
    case 'request_cancelled':
      return stepRequestCancelled(state, fact.id);
    case 'commands':
      return { state: { ...state, isBuiltin: isBuiltinCompact(fact.commands) }, records: [] };
    case 'delta':
      return {
        state,
        records: [{ type: 'assistant_delta', ...childOf(frame), ...optional('index', fact.index), text: fact.text }],
      };
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
function stepSession(state: ClaudeState, frame: ClaudeIn, fact: Fact, n: number): ClaudeStep {
  const isChild = !(frame instanceof Unparsed) && typeof frame.parent_tool_use_id === 'string';
  if (isChild || isForeignSession(state, frame)) return { state, records: [rawRecord(frame, n)] };
  const identified = identify(state, frame, fact);
  const { state: proven, records, settlement, isOurs } = stepOperation(identified.state, fact, n);
  const foreign = isOurs && fact.kind !== 'result' ? { state: proven, records: [] } : stepForeign(proven, fact);
  const turns = stepTurns(foreign.state, fact, isOurs, settlement);
  const all = [...identified.records, ...records, ...foreign.records, ...turns.records, ...plainRecords(frame, fact, n, isOurs)];
  return { state: withPosition(turns.state, frame), records: all, ...optional('settlement', settlement) };
}

function plainRecords(frame: ClaudeIn, fact: Fact, n: number, isOurs: boolean): RecordDraft[] {
  if (fact.kind === 'command_text' && !isOurs && fact.text !== '') return [{ type: 'assistant_text', text: fact.text }];
  if (fact.kind === 'unknown') return [rawRecord(frame, n)];
  if (!(frame instanceof Unparsed)) return [];
  if (frame.kind === 'oversize') return [{ type: 'oversize', frame: n, bytes: frame.bytes }];
  return [{ type: 'unparsed', frame: n, text: frame.text, bytes: frame.bytes }];
}

/** What the process says of itself: its session (its first frame and each `init` name it) and what it offers. */
function identify(state: ClaudeState, frame: ClaudeIn, fact: Fact): { state: ClaudeState; records: readonly RecordDraft[] } {
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
function isForeignSession(state: ClaudeState, frame: ClaudeIn): boolean {
  const sessionId = sessionOf(frame);
  return state.operation !== undefined && state.session !== undefined && sessionId !== undefined && sessionId !== state.session;
}

function sessionOf(frame: ClaudeIn): string | undefined {
  return frame instanceof Unparsed ? undefined : text(frame.session_id) || undefined;
}

function withPosition(state: ClaudeState, frame: ClaudeIn): ClaudeState {
  if (frame instanceof Unparsed || typeof frame.parent_tool_use_id === 'string') return state;
  const isRow =
    frame.type === 'assistant' || frame.type === 'user' || (frame.type === 'system' && frame.subtype === 'compact_boundary');
  const uuid = isRow ? text(frame.uuid) : undefined;
  return uuid === undefined ? state : { ...state, position: uuid };
}

function rawRecord(frame: ClaudeIn, n: number): RecordDraft {
  return { type: 'raw', frame: n, native: frame };
}

function childOf(frame: ClaudeIn): { taskId?: string } {
  return frame instanceof Unparsed ? {} : optional('taskId', text(frame.parent_tool_use_id));
}
