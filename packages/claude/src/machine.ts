import type { Admission, Entry, Machine, RecordDraft, RejectReason } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { allowFrame, compactFrame, denyFrame, initializeFrame, interruptFrame, userFrame } from './commands.ts';
import type { ClaudeIn, ClaudeOut } from './frames.ts';
import { type ClaudeStep, stepFrame } from './incoming.ts';
import { dispatched } from './proof.ts';
import { answerRecords } from './requests.ts';
import { type ClaudeFacts, type ClaudeState, OPEN_ID } from './state.ts';

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
      hasBackgroundTasks: false,
      droppedAt: 0,
      permissions: {},
      messages: {},
      over: [],
    };
    return {
      state,
      records: [],
      writes: [{ frame: initializeFrame(OPEN_ID, facts.prompt, facts.hasCompactionContext), ref: { kind: 'open', id: OPEN_ID } }],
    };
  },

  step(previous, entry) {
    if (entry.dir === 'in') return stepFrame(previous, entry.frame, entry.n);
    const state = { ...previous, n: entry.n };
    if (entry.dir === 'out') return stepOut(state, entry);
    if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
    return {
      state: entry.ask === 'compact' ? { ...state, requested: entry.requestId } : state,
      records: hostRecords(state, entry),
    };
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
    // An unread line may have been the news that matters (E5); without a catalogue nothing is known.
    if (state.droppedAt > since || read.hasFailed) return { reject: 'not_ready' };
    if (!read.isAnswered) return { wait: true };
    // The process also calls itself running while only background work runs (2.1.316, 2.1.332).
    if (read.isRunning && !state.hasBackgroundTasks) return { reject: 'busy_turn' };
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

function hostRecords({ position }: ClaudeState, entry: Entry<ClaudeIn, ClaudeOut> & { dir: 'host' }): RecordDraft[] {
  if (entry.ask === 'compact') {
    const nativeKeys = { command_uuid: entry.operationId };
    return [{ type: 'compaction_requested', requestId: entry.requestId, nativeKeys, ...optional('position', position) }];
  }
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
      return { state: { ...state, read: { id: ref.id, n, isAnswered: false, isRunning: false, hasFailed: false } }, records: [] };
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
