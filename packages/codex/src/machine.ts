import type { Admission, Machine, RecordDraft, RejectReason, Step } from '@native-compaction/core';
import { optional, Unparsed, unparsedRecord } from '@native-compaction/transport';
import { answerFrame, stepRequest } from './approvals.ts';
import { hasStarted, trailOf } from './candidate.ts';
import { compactFrame, initializeFrame, interruptFrame, turnFrame } from './commands.ts';
import { type CodexIn, type CodexOut, type Fact, toFact } from './frames.ts';
import { admitGoals, withoutMove } from './goals.ts';
import { stepResponse } from './requests.ts';
import { type CodexFacts, type CodexState, OPEN_IDS } from './state.ts';
import { stepChild, stepThread } from './thread.ts';
import { stepWritten } from './written.ts';

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
      isContested: false,
      ended: [],
      droppedAt: 0,
      queueMovedAt: 0,
      changes: {},
      permissions: {},
    };
    const frame = initializeFrame(OPEN_IDS.initialize, facts.experimentalApi);
    return { state, records: [], writes: [{ frame, ref: { kind: 'open', id: OPEN_IDS.initialize } }] };
  },

  step(previous, entry) {
    const state = { ...previous, n: entry.n };
    if (entry.dir === 'in') return stepFrame(state, entry.frame, entry.n);
    if (entry.dir === 'out') return stepWritten(state, entry);
    if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
    if (entry.ask === 'compact')
      return {
        state: { ...state, requested: entry.requestId },
        records: [{ type: 'compaction_requested', requestId: entry.requestId, ...optional('position', state.lastTurnId) }],
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

function stepFrame(state: CodexState, frame: CodexIn, n: number): CodexStep {
  const fact = toFact(frame);
  if (fact.kind === 'response') return stepResponse(state, fact, n);
  if (fact.kind === 'request') return stepRequest(state, fact, n);
  if ('threadId' in fact) return fact.threadId === state.threadId ? stepThread(state, fact, frame, n) : stepChild(state, fact, n);
  return { state: fact.kind === 'oversize' ? tainted(state, n) : state, records: plainRecords(frame, fact, n) };
}

function tainted(state: CodexState, n: number): CodexState {
  const operation = state.operation && { ...state.operation, isTainted: true };
  return { ...state, droppedAt: n, ...optional('operation', operation) };
}

function plainRecords(frame: CodexIn, fact: Fact, n: number): RecordDraft[] {
  if (fact.kind === 'unknown') return [{ type: 'raw', frame: n, native: frame }];
  return frame instanceof Unparsed ? [unparsedRecord(frame, n)] : [];
}
