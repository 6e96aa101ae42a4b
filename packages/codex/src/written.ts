import type { Entry, RecordDraft, Step } from '@native-compaction/core';
import { object, optional, text } from '@native-compaction/transport';
import { answerRecords } from './approvals.ts';
import { dispatched } from './binding.ts';
import type { CodexIn, CodexOut } from './frames.ts';
import { asked, isRead } from './goals.ts';
import { probeWritten } from './probe.ts';
import type { CodexState } from './state.ts';

type WrittenStep = Step<CodexState, CodexOut>;

/** What one of our own writes means, told before its bytes leave. */
export function stepWritten(state: CodexState, { n, frame, ref }: Entry<CodexIn, CodexOut> & { dir: 'out' }): WrittenStep {
  switch (ref.kind) {
    case 'compact': {
      const operation = dispatched(state.requested ?? ref.id, ref.id, n, state.isContested, state.totalTokens);
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
