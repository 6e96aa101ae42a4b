import type { Admission, Entry, Machine, RecordDraft, RejectReason, Step } from '@native-compaction/core';
import { object, optional, text, Unparsed } from '@native-compaction/transport';
import { dispatched, probeWritten, stepUsage } from './binding.ts';
import { hasStarted, trailOf } from './candidate.ts';
import { compactFrame, initializeFrame, interruptFrame, turnFrame } from './commands.ts';
import { deltaRecord, itemRecords } from './conversation.ts';
import { type CodexIn, type CodexOut, type Fact, toFact } from './frames.ts';
import { admitGoals, asked, isRead, withoutMove } from './goals.ts';
import { own } from './operation.ts';
import { answerFrame, answerRecords, stepRequest, stepResponse } from './requests.ts';
import { type CodexFacts, type CodexState, OPEN_IDS } from './state.ts';
import { endTurn, startTurn, stepItemFact } from './turns.ts';

type CodexStep = Step<CodexState, CodexOut>;

/** Codex's app-server as one pure machine; the facts were seen on 0.166.0 and 0.171.0. */
export const codexMachine: Machine<CodexIn, CodexOut, CodexState, CodexFacts> = {
  init(facts) {
    const state: CodexState = {
      facts,
      n: 0,
      phase: 'opening',
      threadId: facts.thread.threadId ?? '',
      ownTurns: [],
      isGoalActive: false,
      contestedAt: 0,
      droppedAt: 0,
      queueMovedAt: 0,
      permissions: {},
    };
    const frame = initializeFrame(OPEN_IDS.initialize, facts.experimentalApi);
    return { state, records: [], writes: [{ frame, ref: { kind: 'open', id: OPEN_IDS.initialize } }] };
  },

  step(previous, entry) {
    const state = { ...previous, n: entry.n };
    if (entry.dir === 'in') return stepFrame(state, entry.frame, entry.n);
    if (entry.dir === 'out') return stepOut(state, entry);
    if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
    if (entry.ask === 'compact')
      return {
        state: { ...state, requested: entry.requestId },
        records: [{ type: 'compaction_requested', requestId: entry.requestId }],
      };
    if (entry.ask === 'abort') return { state, records: [] };
    const records: RecordDraft[] = [{ type: 'compaction_rejected', requestId: entry.requestId, reason: entry.reason }];
    return { state: entry.reason === 'queued_input' ? withoutMove(state) : state, records };
  },

  busy: busyReason,

  admit(state, since): Admission<CodexOut> {
    const busy = busyReason(state);
    if (busy) return { reject: busy };
    return state.isGoalActive ? { reject: 'goal_active' } : admitGoals(state, since);
  },

  compact: ({ threadId }, { operationId }) => compactFrame(operationId, threadId),
  input: ({ threadId }, { id, text: content }) => turnFrame(id, threadId, content),
  cancel({ operation, threadId, turnId }, id) {
    const target = operation ? operation.bound : turnId;
    return target ? interruptFrame(id, threadId, target) : undefined;
  },
  answer: answerFrame,
  trail: ({ operation }) => ({
    started: operation !== undefined && hasStarted(operation),
    evidence: operation ? trailOf(operation) : [],
  }),
};

function busyReason(state: CodexState): RejectReason | undefined {
  if (state.phase !== 'open') return state.phase === 'ended' ? 'closed' : 'not_ready';
  if (state.operation || state.automatic !== undefined) return 'busy_compaction';
  return state.turnId !== undefined || state.input ? 'busy_turn' : undefined;
}

function stepOut(state: CodexState, { n, frame, ref }: Entry<CodexIn, CodexOut> & { dir: 'out' }): CodexStep {
  switch (ref.kind) {
    case 'compact': {
      const gateAt = state.goal?.n ?? n;
      const operation = dispatched(state.requested ?? ref.id, ref.id, gateAt, n, state.contestedAt > gateAt, state.totalTokens);
      const nativeKeys = { requestId: ref.id };
      const record: RecordDraft = {
        type: 'compaction_dispatched',
        requestId: operation.requestId,
        nativeKeys,
        ...optional('position', state.lastTurnId),
      };
      return { state: { ...state, operation }, records: [record] };
    }
    case 'input':
      return {
        state: { ...state, input: { id: ref.id, isReceived: false } },
        records: [{ type: 'input_written', inputId: ref.id }],
      };
    case 'read':
      return { state: { ...state, [isRead(ref.id) ?? 'goal']: asked(ref.id, n) }, records: [] };
    case 'probe': {
      const turnId = text(object(frame.params)?.expectedTurnId) ?? '';
      return {
        state: state.operation ? { ...state, operation: probeWritten(state.operation, turnId, ref.id) } : state,
        records: [],
      };
    }
    case 'cancel': {
      const operation = state.operation && { ...state.operation, cancelWritten: true };
      return { state: { ...state, ...optional('operation', operation), cancelId: ref.id }, records: [] };
    }
    case 'answer':
      return answerRecords(state, frame, ref.id);
    default:
      return { state, records: [] };
  }
}

function stepFrame(state: CodexState, frame: CodexIn, n: number): CodexStep {
  const fact = toFact(frame);
  if (fact.kind === 'response') return stepResponse(state, fact, n);
  if (fact.kind === 'request') return stepRequest(state, fact, n);
  if ('threadId' in fact) return fact.threadId === state.threadId ? stepThread(state, fact, frame, n) : stepChild(state, fact, n);
  return { state: fact.kind === 'oversize' ? tainted(state, n) : state, records: plainRecords(frame, fact, n) };
}

type ThreadFact = Extract<Fact, { threadId: string }>;

function stepThread(state: CodexState, fact: ThreadFact, frame: CodexIn, n: number): CodexStep {
  switch (fact.kind) {
    case 'turn_started':
      return startTurn(state, fact.turnId, n);
    case 'turn_completed':
      return endTurn(state, fact, n);
    case 'item_started':
    case 'item_completed':
      return stepItemFact(state, fact, n);
    case 'delta':
      return { state, records: [deltaRecord(fact, {})] };
    case 'goal':
      return {
        state: fact.isActive ? contested({ ...state, isGoalActive: true }, n) : { ...state, isGoalActive: false },
        records: [],
      };
    case 'queue':
      return { state: contested({ ...state, queueMovedAt: n }, n), records: [] };
    case 'retry': {
      const isOurs = state.operation !== undefined && state.operation.bound === fact.turnId;
      return {
        state,
        records: isOurs && state.operation ? [{ type: 'compaction_progress', ...own(state.operation), detail: 'retry' }] : [],
      };
    }
    case 'usage': {
      const operation = state.operation && stepUsage(state.operation, fact.turnId, fact.totalTokens);
      return {
        state: { ...state, ...optional('operation', operation), ...optional('totalTokens', fact.totalTokens) },
        records: [],
      };
    }
    default:
      return { state, records: [{ type: 'raw', frame: n, native: frame }] };
  }
}

/** Something other than us may start a turn from now on; a turn that is bound already stays so. */
function contested(state: CodexState, n: number): CodexState {
  const { operation } = state;
  const isOpen = operation !== undefined && operation.candidates.length === 0;
  return { ...state, contestedAt: n, ...(isOpen ? { operation: { ...operation, isContested: true } } : {}) };
}

/** A child agent's thread on the same connection: told as its own, and settling nothing of ours (R6). */
function stepChild(state: CodexState, fact: ThreadFact, n: number): CodexStep {
  const taskId = fact.threadId;
  if (fact.kind === 'turn_started') return { state, records: [{ type: 'task_started', taskId }] };
  if (fact.kind === 'turn_completed') {
    const outcome = fact.status === 'completed' ? 'completed' : fact.status === 'interrupted' ? 'aborted' : 'failed';
    return { state, records: [{ type: 'task_ended', taskId, outcome }] };
  }
  if (fact.kind === 'item_started' || fact.kind === 'item_completed') return { state, records: itemRecords(fact, n, { taskId }) };
  return { state, records: fact.kind === 'delta' ? [deltaRecord(fact, { taskId })] : [] };
}

function tainted(state: CodexState, n: number): CodexState {
  const operation = state.operation && { ...state.operation, isTainted: true };
  return { ...state, droppedAt: n, ...optional('operation', operation) };
}

function plainRecords(frame: CodexIn, fact: Fact, n: number): RecordDraft[] {
  if (fact.kind === 'unknown') return [{ type: 'raw', frame: n, native: frame }];
  if (!(frame instanceof Unparsed)) return [];
  if (frame.kind === 'oversize') return [{ type: 'oversize', frame: n, bytes: frame.bytes }];
  return [{ type: 'unparsed', frame: n, text: frame.text, bytes: frame.bytes }];
}
