import type { RecordDraft, Write } from '@native-compaction/core';
import { object, optional, text, texts } from '@native-compaction/transport';
import { isBuiltinCompact } from './catalog.ts';
import { interruptFrame, refuseFrame } from './commands.ts';
import type { ClaudeOut, Fact } from './frames.ts';
import { type ClaudeState, OPEN_ID } from './state.ts';

interface RequestStep {
  readonly state: ClaudeState;
  readonly records: readonly RecordDraft[];
  readonly writes?: readonly Write<ClaudeOut>[];
  readonly answered?: readonly string[];
}

/** Answers to what we asked over the control channel. An id we did not issue is an echo of our own answer and means nothing. */
export function stepResponse(state: ClaudeState, fact: Extract<Fact, { kind: 'response' }>): RequestStep {
  const quiet = { state, records: [] };
  if (fact.id === OPEN_ID && state.phase === 'opening') {
    if (fact.response) return opened(state, fact.response);
    return { state, records: [{ type: 'session_refused', message: fact.error ?? 'no reason given' }], answered: [OPEN_ID] };
  }
  if (fact.id === state.read?.id && !state.read.isAnswered) {
    const isRunning = fact.response?.session_state === 'running';
    const isBuiltin = isBuiltinCompact(fact.response?.commands);
    return {
      state: {
        ...state,
        isBuiltin,
        read: { ...state.read, isAnswered: true, isRunning, hasFailed: fact.response === undefined },
      },
      records: [],
      answered: [fact.id],
    };
  }
  const { cancel, ...rest } = state;
  if (cancel === undefined || (fact.id !== cancel.id && !fact.id.startsWith(`${cancel.id}:`))) return quiet;
  const isOpen = cancel.target !== undefined && (cancel.target === state.operation?.uuid || cancel.target === state.input?.id);
  const isStillQueued = isOpen && texts(fact.response?.still_queued)?.includes(cancel.target ?? '') === true;
  if (!isStillQueued) return { state: rest, records: [], answered: [cancel.id] };
  // A plain interrupt written right behind a command can be lost; the receipt then still lists it (2.1.316, 2.1.332).
  const id = `${cancel.id}:${state.n}`;
  return { state, records: [], writes: [{ frame: interruptFrame(id, false), ref: { kind: 'cancel', id } }] };
}

function opened(state: ClaudeState, response: NonNullable<Extract<Fact, { kind: 'response' }>['response']>): RequestStep {
  const version = text(response.claude_code_version);
  const isRunning = response.session_state === 'running';
  const next: ClaudeState = {
    ...state,
    phase: 'open',
    ...optional('version', version),
    ...(version !== undefined && state.facts.testedVersions.includes(version)
      ? { hasLifecycle: true, canCancelQueued: true }
      : {}),
    isBuiltin: isBuiltinCompact(response.commands),
    ...(isRunning ? { turn: { live: [] } } : {}),
  };
  const record: RecordDraft = {
    type: 'session_opened',
    ...optional('nativeId', state.nativeId),
    ...optional('vendorVersion', version),
  };
  return {
    state: next,
    records: isRunning ? [record, { type: 'turn_started' }] : [record, { type: 'idle' }],
    answered: [OPEN_ID],
  };
}

/** What the vendor asks of us: a permission goes to the host, everything else gets the vendor's error reply (T8). */
export function stepRequest(state: ClaudeState, fact: Extract<Fact, { kind: 'request' }>, n: number): RequestStep {
  const { id, method, request } = fact;
  if (method !== 'can_use_tool') {
    const write: Write<ClaudeOut> = { frame: refuseFrame(id, method), ref: { kind: 'answer', id } };
    return { state, records: [{ type: 'native_request_refused', method }], writes: [write] };
  }
  const record: RecordDraft = {
    type: 'permission_asked',
    permissionId: id,
    tool: text(request.tool_name) ?? '',
    input: request.input,
    frame: n,
    ...optional('toolCallId', text(request.tool_use_id)),
    ...(text(request.agent_id) === undefined ? {} : { isChild: true as const }),
  };
  return { state: { ...state, permissions: { ...state.permissions, [id]: request.input } }, records: [record] };
}

export function stepRequestCancelled(state: ClaudeState, id: string): RequestStep {
  if (!(id in state.permissions)) return { state, records: [] };
  return {
    state: withoutPermission(state, id),
    records: [{ type: 'permission_answered', permissionId: id, decision: 'deny', by: 'native' }],
  };
}

/** The record of an answer of ours, read off the frame that carries it. */
export function answerRecords(state: ClaudeState, frame: ClaudeOut, id: string): RequestStep {
  if (!(id in state.permissions)) return { state, records: [] };
  const answer = object(object(frame.response)?.response);
  const decision = answer?.behavior === 'allow' ? 'allow' : 'deny';
  const record: RecordDraft = {
    type: 'permission_answered',
    permissionId: id,
    decision,
    by: 'client',
    ...optional('message', text(answer?.message)),
  };
  return { state: withoutPermission(state, id), records: [record] };
}

function withoutPermission(state: ClaudeState, id: string): ClaudeState {
  const { [id]: _answered, ...permissions } = state.permissions;
  return { ...state, permissions };
}
