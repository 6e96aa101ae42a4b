import type { Admission, Entry, Machine, RejectReason } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stepFrame } from './frames.ts';
import type { HeronFacts, HeronIn, HeronOut, HeronState, HeronStep, Operation } from './state.ts';

const OPEN = 'open';

/** Heron as one pure machine: every frame that comes, leaves or is asked for steps it, and it alone says what a frame means. */
export const heronMachine: Machine<HeronIn, HeronOut, HeronState, HeronFacts> = {
  init: (facts) => ({
    state: { phase: 'opening' },
    records: [],
    writes: [{ frame: { type: 'open', id: OPEN, ...facts }, ref: { kind: 'open', id: OPEN } }],
  }),

  step(state, entry) {
    if (entry.dir === 'in') return stepFrame(state, entry.frame, entry.n);
    if (entry.dir === 'end') return { state: { ...state, phase: 'ended' }, records: [] };
    if (entry.dir === 'out') return stepWritten(state, entry);
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

  compact: (_state, { operationId, instructions }) => ({
    type: 'compact',
    id: operationId,
    ...optional('instructions', instructions),
  }),
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

function stepWritten(state: HeronState, { frame, ref: { kind, id }, n }: Entry<HeronIn, HeronOut> & { dir: 'out' }): HeronStep {
  if (kind === 'answer') {
    const decision = frame.allow === true ? 'allow' : 'deny';
    return { state, records: [{ type: 'permission_answered', permissionId: id, decision, by: 'client' }] };
  }
  if (kind === 'read') return { state: { ...state, read: { id, n, isAnswered: false, isBusy: false } }, records: [] };
  if (kind === 'input') return { state: { ...state, input: id }, records: [{ type: 'input_written', inputId: id }] };
  if (kind === 'cancel' && state.operation)
    return { state: { ...state, operation: { ...state.operation, isCancelled: true } }, records: [] };
  if (kind !== 'compact') return { state, records: [] };
  const requestId = state.requested ?? id;
  const evidence = [{ frame: n, kind: 'dispatched', ids: { id } }] as const;
  const operation: Operation = { id, requestId, stage: 'written', isCancelled: false, isTainted: false, evidence };
  return { state: { ...state, operation }, records: [{ type: 'compaction_dispatched', requestId, nativeKeys: { id } }] };
}
