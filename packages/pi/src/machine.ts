import type { Entry, Machine, RecordDraft, Step } from '@native-compaction/core';
import { optional, text, Unparsed, unparsedRecord } from '@native-compaction/transport';
import { abortFrame, compactFrame, promptFrame, stateFrame } from './commands.ts';
import { endCompaction, progressRecords, startCompaction } from './compactions.ts';
import { conversationRecords, withAssistant } from './conversation.ts';
import { type Fact, type PiIn, type PiOut, toFact } from './frames.ts';
import { admit, busyReason } from './idle.ts';
import { present } from './present.ts';
import { dispatched, hasStarted } from './proof.ts';
import { stepQuestion, stepResponse } from './requests.ts';
import { hasBegun, OPEN_ID, type PiFacts, type PiState } from './state.ts';
import { endLoop, endPrompt, receiveUser, settleRun, startRun } from './turns.ts';

type PiStep = Step<PiState, PiOut>;

/** Pi as one pure machine, over RPC and in process; the facts were seen on 1.4.0, 1.5.0 and 1.6.0. */
export const piMachine: Machine<PiIn, PiOut, PiState, PiFacts> = {
  init(facts) {
    const state: PiState = {
      facts,
      n: 0,
      phase: 'opening',
      pending: 0,
      foreign: 0,
      hasOrphan: false,
      isPromptPatched: false,
      isAutomatic: false,
      shells: [],
    };
    return { state, records: [], writes: [{ frame: stateFrame(OPEN_ID), ref: { kind: 'open', id: OPEN_ID } }] };
  },

  step(previous, entry) {
    const step = stepEntry({ ...previous, n: entry.n }, entry);
    const isFree = busyReason(previous) !== undefined && busyReason(step.state) === undefined;
    return isFree ? { ...step, records: [...step.records, { type: 'idle' }] } : step;
  },

  busy: busyReason,
  admit,
  compact: (_state, { operationId, instructions }) => compactFrame(operationId, instructions),
  input: (_state, { id, text }) => promptFrame(id, text),
  cancel(state, id) {
    if (state.operation) return state.operation.stage === 'started' ? abortFrame(id) : undefined;
    // A cancel that comes before Pi has taken the prompt does nothing; somebody else's compaction is not ours to end.
    const isRunning = state.run !== undefined || hasBegun(state.input) || state.isAutomatic;
    return isRunning && state.foreign === 0 ? abortFrame(id) : undefined;
  },
  answer: () => undefined,
  trail: ({ operation }) => ({
    started: operation !== undefined && hasStarted(operation),
    evidence: operation?.evidence ?? [],
  }),
};

function stepEntry(state: PiState, entry: Entry<PiIn, PiOut>): PiStep {
  if (entry.dir === 'in') return stepFrame(state, entry.frame, entry.n);
  if (entry.dir === 'out') return stepOut(state, entry);
  if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
  if (entry.ask === 'compact') {
    const nativeKeys = { id: entry.operationId };
    const position = optional('position', state.lastCompaction);
    const record: RecordDraft = { type: 'compaction_requested', requestId: entry.requestId, nativeKeys, ...position };
    return { state: { ...state, requested: entry.requestId }, records: [record] };
  }
  if (entry.ask === 'abort') return { state, records: [] };
  return { state, records: [{ type: 'compaction_rejected', requestId: entry.requestId, reason: entry.reason }] };
}

function stepOut(state: PiState, { n, frame, ref }: Entry<PiIn, PiOut> & { dir: 'out' }): PiStep {
  switch (ref.kind) {
    case 'compact': {
      const operation = dispatched(state.requested ?? ref.id, ref.id, n, state.hasOrphan);
      const leafId = typeof state.read?.answer === 'object' ? state.read.answer.leafId : undefined;
      const record: RecordDraft = {
        type: 'compaction_dispatched',
        requestId: operation.requestId,
        nativeKeys: { id: ref.id },
        ...optional('position', leafId ?? state.lastCompaction),
      };
      return { state: { ...state, operation }, records: [record] };
    }
    case 'input':
      return {
        state: { ...state, input: { id: ref.id, text: text(frame.message) ?? '', stage: 'written' } },
        records: [{ type: 'input_written', inputId: ref.id }],
      };
    case 'read':
      return { state: { ...state, read: { id: ref.id, n } }, records: [] };
    case 'cancel': {
      const operation = state.operation && { ...state.operation, cancelWritten: true };
      return { state: { ...state, ...optional('operation', operation), cancelId: ref.id }, records: [] };
    }
    default:
      return { state, records: [] };
  }
}

function stepFrame(state: PiState, frame: PiIn, n: number): PiStep {
  const fact = toFact(frame);
  switch (fact.kind) {
    case 'response':
      return stepResponse(state, fact, n);
    case 'compaction_start':
      return startCompaction(state, fact, n);
    case 'compaction_end':
      return endCompaction(state, fact, n, frame);
    case 'summary_retry':
      return { state, records: progressRecords(state) };
    case 'run_started':
      return startRun(state);
    case 'run_settled':
      return settleRun(state, fact.isAborted);
    case 'user':
      return receiveUser(state, fact.text);
    case 'prompt_over':
      return endPrompt(state, fact);
    case 'loop_ended':
      return endLoop(state);
    case 'queue':
      return { state: { ...state, pending: fact.pending }, records: [] };
    case 'bash':
      return { state: state.shells.includes(fact.id) ? state : { ...state, shells: [...state.shells, fact.id] }, records: [] };
    case 'question':
      return stepQuestion(state, fact);
    case 'assistant': {
      const run = state.run && withAssistant(state.run, fact.message);
      return { state: { ...state, ...optional('run', run) }, records: conversationRecords(state, fact) };
    }
    default:
      return { state: fact.kind === 'oversize' ? tainted(state) : state, records: plainRecords(state, frame, fact, n) };
  }
}

/** What was dropped may have been a part of any proof (E5). */
function tainted(state: PiState): PiState {
  const operation = state.operation && { ...state.operation, isTainted: true };
  return { ...state, ...optional('operation', operation) };
}

function plainRecords(state: PiState, frame: PiIn, fact: Fact, n: number): RecordDraft[] {
  if (fact.kind === 'unknown') return [{ type: 'raw', frame: n, native: present(frame) }];
  return frame instanceof Unparsed ? [unparsedRecord(frame, n)] : conversationRecords(state, fact);
}
