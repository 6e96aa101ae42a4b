import type { Admission, Evidence, Machine, RecordDraft, RejectReason, Settlement, Step } from '@native-compaction/core';
import { type JsonObject, number, optional, text, Unparsed } from '@native-compaction/transport';

export type HeronIn = JsonObject | Unparsed;
export type HeronOut = JsonObject;
export interface HeronFacts {
  readonly open: JsonObject;
}

/** Our compaction, by the stage it has reached: one counter, and no flags. */
interface Operation {
  readonly id: string;
  readonly requestId: string;
  readonly stage: 'written' | 'started' | 'compacted';
  readonly isCancelled: boolean;
  readonly isTainted: boolean;
  readonly before?: number;
  readonly evidence: readonly [Evidence, ...Evidence[]];
}

export interface HeronState {
  readonly phase: 'opening' | 'open' | 'ended';
  readonly facts: HeronFacts;
  readonly requested?: string;
  /** The gate's question: asked at this entry, answered or not. */
  readonly read?: { readonly id: string; readonly n: number; readonly isAnswered: boolean; readonly isBusy: boolean };
  readonly operation?: Operation;
  /** An input on its way. */
  readonly input?: string;
  /** What runs that is not ours: a compaction that somebody else asked for. */
  readonly foreign?: string;
  readonly droppedAt: number;
}

type HeronStep = Step<HeronState, HeronOut>;
const OPEN = 'open';

/** Heron as one pure machine: every frame that comes, leaves or is asked for steps it, and it alone says what a frame means. */
export const heronMachine: Machine<HeronIn, HeronOut, HeronState, HeronFacts> = {
  init: (facts) => ({
    state: { phase: 'opening', facts, droppedAt: 0 },
    records: [],
    writes: [{ frame: { type: 'open', id: OPEN, ...facts.open }, ref: { kind: 'open', id: OPEN } }],
  }),

  step(state, entry) {
    if (entry.dir === 'in') return stepFrame(state, entry.frame, entry.n);
    if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
    if (entry.dir === 'out') return stepWritten(state, entry.ref, entry.n);
    if (entry.ask === 'compact') {
      const { requestId } = entry;
      return { state: { ...state, requested: requestId }, records: [{ type: 'compaction_requested', requestId }] };
    }
    if (entry.ask === 'abort') return { state, records: [] };
    return { state, records: [{ type: 'compaction_rejected', requestId: entry.requestId, reason: entry.reason }] };
  },

  busy: busyReason,

  admit({ read, ...state }, since): Admission<HeronOut> {
    const reason = busyReason(state);
    if (reason) return { reject: reason };
    if (!read || read.n < since) {
      const id = crypto.randomUUID();
      return { ask: [{ frame: { type: 'status', id }, ref: { kind: 'read', id } }] };
    }
    if (!read.isAnswered) return { wait: true };
    return read.isBusy ? { reject: 'busy_turn' } : { go: true };
  },

  compact: (_state, { operationId, instructions }) => ({ type: 'compact', id: operationId, ...optional('instructions', instructions) }),
  input: (_state, { id, text: content }) => ({ type: 'prompt', id, text: content }),
  cancel({ operation, input }, id) {
    // Heron forgets a cancel of what it has not started.
    const target = operation ? (operation.stage === 'written' ? undefined : operation.id) : input;
    return target === undefined ? undefined : { type: 'cancel', id, target };
  },
  answer: (_state, id, decision) => ({ type: 'permit', id, allow: decision === 'allow' }),
  trail: ({ operation }) => ({
    started: operation !== undefined && operation.stage !== 'written',
    evidence: operation?.evidence ?? [],
  }),
};

function busyReason({ phase, operation, foreign, input }: Omit<HeronState, 'read'>): RejectReason | undefined {
  if (phase !== 'open') return phase === 'ended' ? 'closed' : 'not_ready';
  if (operation || foreign !== undefined) return 'busy_compaction';
  return input === undefined ? undefined : 'busy_turn';
}

function stepWritten(state: HeronState, { kind, id }: { kind: string; id: string }, n: number): HeronStep {
  if (kind === 'read') return { state: { ...state, read: { id, n, isAnswered: false, isBusy: false } }, records: [] };
  if (kind === 'input') return { state: { ...state, input: id }, records: [{ type: 'input_written', inputId: id }] };
  if (kind === 'cancel' && state.operation) return { state: { ...state, operation: { ...state.operation, isCancelled: true } }, records: [] };
  if (kind !== 'compact') return { state, records: [] };
  const requestId = state.requested ?? id;
  const evidence = [{ frame: n, kind: 'dispatched', ids: { id } }] as const;
  const operation: Operation = { id, requestId, stage: 'written', isCancelled: false, isTainted: false, evidence };
  return { state: { ...state, operation }, records: [{ type: 'compaction_dispatched', requestId, nativeKeys: { id } }] };
}

function stepFrame(state: HeronState, frame: HeronIn, n: number): HeronStep {
  if (frame instanceof Unparsed) return stepUnparsed(state, frame, n);
  const id = text(frame.id) ?? '';
  switch (frame.type) {
    case 'opened':
      return {
        state: { ...state, phase: 'open' },
        records: [{ type: 'session_opened', ...optional('nativeId', text(frame.session)), ...optional('vendorVersion', text(frame.version)) }, { type: 'idle' }],
      };
    case 'refused':
      return { state, records: [{ type: 'session_refused', message: text(frame.message) ?? 'no reason given' }] };
    case 'status':
      if (state.read?.id !== id) return { state, records: [] };
      return { state: { ...state, read: { ...state.read, isAnswered: true, isBusy: frame.busy === true } }, records: [], answered: [id] };
    case 'answer':
      return { state, records: [], answered: [id] };
    case 'accepted':
      return { state, records: id === state.input ? [{ type: 'input_received', inputId: id }] : [] };
    case 'text':
      return { state, records: [{ type: 'assistant_text', text: text(frame.text) ?? '' }] };
    case 'question':
      return { state, records: [{ type: 'permission_asked', permissionId: id, tool: text(frame.tool) ?? '', input: frame.input, frame: n }] };
    case 'started':
      return stepStarted(state, frame, id, n);
    case 'compacted':
      return stepCompacted(state, frame, id, n);
    case 'ended':
      return stepEnded(state, frame, id, n);
    default:
      return { state, records: [{ type: 'raw', frame: n, native: frame }] };
  }
}

/** A line nobody could read may have been part of the proof. */
function stepUnparsed(state: HeronState, frame: Unparsed, n: number): HeronStep {
  if (frame.kind === 'noise') return { state, records: [{ type: 'unparsed', frame: n, text: frame.text, bytes: frame.bytes }] };
  const operation = state.operation && { ...state.operation, isTainted: true };
  return { state: { ...state, ...optional('operation', operation), droppedAt: n }, records: [{ type: 'oversize', frame: n, bytes: frame.bytes }] };
}

function stepStarted(state: HeronState, frame: JsonObject, id: string, n: number): HeronStep {
  if (state.operation?.id === id) {
    if (state.operation.stage !== 'written') return { state, records: [] };
    const operation = seen({ ...state.operation, stage: 'started' }, 'started', n);
    return { state: { ...state, operation }, records: [{ type: 'compaction_started', origin: 'manual', requestId: operation.requestId }] };
  }
  if (frame.what === 'compact') return { state: { ...state, foreign: id }, records: [{ type: 'compaction_started', origin: 'foreign' }] };
  return { state, records: [{ type: 'turn_started', turnId: id, ...(id === state.input ? { inputIds: [id] } : {}) }] };
}

function stepCompacted(state: HeronState, frame: JsonObject, id: string, n: number): HeronStep {
  const { operation } = state;
  if (operation?.id === id && frame.cause === 'asked') {
    if (operation.stage !== 'started') return { state, records: [] };
    const next = { ...seen({ ...operation, stage: 'compacted' }, 'compacted', n), ...optional('before', number(frame.before)) };
    return { state: { ...state, operation: next }, records: [{ type: 'compaction_progress', origin: 'manual', requestId: operation.requestId, detail: 'boundary' }] };
  }
  if (frame.cause !== 'automatic') return { state, records: [] };
  const origin = 'automatic';
  return { state, records: [{ type: 'compaction_started', origin }, { type: 'compaction_ended', origin, outcome: 'completed' }] };
}

function stepEnded(state: HeronState, frame: JsonObject, id: string, n: number): HeronStep {
  const { operation, input, foreign, ...rest } = state;
  if (operation?.id === id) {
    const settlement = settle(seen(operation, 'ended', n), frame);
    const outcome = settlement.status === 'unconfirmed' || settlement.status === 'rejected' ? 'unknown' : settlement.status;
    const end: RecordDraft = { type: 'compaction_ended', origin: 'manual', requestId: operation.requestId, outcome };
    return { state: { ...rest, ...optional('input', input), ...optional('foreign', foreign) }, records: [end, { type: 'idle' }], settlement };
  }
  const others = { ...rest, ...optional('operation', operation) };
  const outcome = frame.outcome === 'completed' ? 'completed' : frame.outcome === 'cancelled' ? 'aborted' : 'failed';
  if (foreign === id) return { state: { ...others, ...optional('input', input) }, records: [{ type: 'compaction_ended', origin: 'foreign', outcome }] };
  const records: RecordDraft[] = [{ type: 'turn_ended', turnId: id, outcome, kind: 'prompt', ...(input === id ? { inputIds: [id] } : {}) }];
  if (input === id) records.push({ type: 'input_ended', inputId: id, outcome });
  const kept = { ...others, ...optional('foreign', foreign), ...(input === id ? {} : optional('input', input)) };
  return { state: kept, records: [...records, { type: 'idle' }] };
}

/** The end of ours, by its own id: what it claims must have been seen, in order. */
function settle({ stage, isTainted, isCancelled, evidence, before }: Operation, frame: JsonObject): Settlement {
  const message = optional('message', text(frame.message));
  if (stage === 'written' || isTainted) return { status: 'unconfirmed', context: 'unknown', reason: 'no_evidence', evidence, started: stage !== 'written' };
  if (frame.outcome === 'completed') {
    if (stage !== 'compacted') return { status: 'unconfirmed', context: 'unknown', reason: 'no_evidence', evidence, started: true };
    return { status: 'completed', context: 'compacted', evidence, tokens: { ...optional('before', before), estimated: false } };
  }
  const context = stage === 'compacted' ? 'compacted' : 'unchanged';
  if (frame.outcome === 'cancelled') return { status: 'aborted', context, by: isCancelled ? 'caller' : 'native', evidence, ...message };
  const hint = frame.message === 'nothing to compact' ? ({ hint: 'nothing_to_compact' } as const) : {};
  return { status: 'failed', context: stage === 'compacted' ? 'unknown' : 'unchanged', reason: 'native_failed', evidence, ...hint, ...message };
}

function seen(operation: Operation, kind: string, frame: number): Operation {
  const [first, ...others] = operation.evidence;
  return { ...operation, evidence: [first, ...others, { frame, kind, ids: { id: operation.id } }] };
}
