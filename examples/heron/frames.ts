import type { RecordDraft, Settlement } from '@native-compaction/core';
import { type JsonObject, number, optional, text, Unparsed } from '@native-compaction/transport';
import type { HeronIn, HeronState, HeronStep, Operation } from './state.ts';

const tell = (state: HeronState, ...records: RecordDraft[]): HeronStep => ({ state, records });

/** What one frame of Heron means; a shape that is not known is a `raw` record, never an error. */
export function stepFrame(state: HeronState, frame: HeronIn, n: number): HeronStep {
  if (frame instanceof Unparsed) return stepUnparsed(state, frame, n);
  const id = text(frame.id) ?? '';
  switch (frame.type) {
    case 'opened': {
      const ids = { ...optional('nativeId', text(frame.session)), ...optional('vendorVersion', text(frame.version)) };
      return tell({ ...state, phase: 'open' }, { type: 'session_opened', ...ids }, { type: 'idle' });
    }
    case 'refused':
      return tell(state, { type: 'session_refused', message: text(frame.message) ?? 'no reason given' });
    case 'status': {
      if (state.read?.id !== id) return tell(state);
      const read = { ...state.read, isAnswered: true, isBusy: frame.busy === true };
      return { ...tell({ ...state, read }), answered: [id] };
    }
    case 'answer':
      return { ...tell(state), answered: [id] };
    case 'accepted':
      return id === state.input ? tell(state, { type: 'input_received', inputId: id }) : tell(state);
    case 'text':
      return tell(state, { type: 'assistant_text', text: text(frame.text) ?? '' });
    case 'question': {
      const question = { permissionId: id, tool: text(frame.tool) ?? '', input: frame.input, frame: n };
      return tell(state, { type: 'permission_asked', ...question });
    }
    case 'started':
      return stepStarted(state, frame, id, n);
    case 'compacted':
      return stepCompacted(state, frame, id, n);
    case 'ended':
      return stepEnded(state, frame, id, n);
    default:
      return tell(state, { type: 'raw', frame: n, native: frame });
  }
}

/** A line nobody could read may have been part of the proof. */
function stepUnparsed(state: HeronState, { kind, text: said, bytes }: Unparsed, n: number): HeronStep {
  if (kind === 'noise') return tell(state, { type: 'unparsed', frame: n, text: said, bytes });
  const operation = state.operation && { ...state.operation, isTainted: true };
  return tell({ ...state, ...optional('operation', operation) }, { type: 'oversize', frame: n, bytes });
}

function stepStarted(state: HeronState, frame: JsonObject, id: string, n: number): HeronStep {
  if (state.operation?.id === id) {
    if (state.operation.stage !== 'written') return tell(state);
    const operation = seen({ ...state.operation, stage: 'started' }, 'started', n);
    return tell({ ...state, operation }, { type: 'compaction_started', origin: 'manual', requestId: operation.requestId });
  }
  if (frame.what === 'compact') return tell({ ...state, foreign: id }, { type: 'compaction_started', origin: 'foreign' });
  return tell(state, { type: 'turn_started', turnId: id, ...(id === state.input ? { inputIds: [id] } : {}) });
}

function stepCompacted(state: HeronState, frame: JsonObject, id: string, n: number): HeronStep {
  const { operation } = state;
  if (operation?.id === id && frame.cause === 'asked') {
    if (operation.stage !== 'started') return tell(state);
    const next = { ...seen({ ...operation, stage: 'compacted' }, 'compacted', n), ...optional('before', number(frame.before)) };
    const own = { origin: 'manual', requestId: operation.requestId } as const;
    return tell({ ...state, operation: next }, { type: 'compaction_progress', ...own, detail: 'boundary' });
  }
  if (frame.cause !== 'automatic') return tell(state);
  const origin = 'automatic';
  return tell(state, { type: 'compaction_started', origin }, { type: 'compaction_ended', origin, outcome: 'completed' });
}

function stepEnded(state: HeronState, frame: JsonObject, id: string, n: number): HeronStep {
  const { operation, input, foreign, ...rest } = state;
  const outcome = frame.outcome === 'completed' ? 'completed' : frame.outcome === 'cancelled' ? 'aborted' : 'failed';
  if (operation?.id === id) {
    const settlement = settle(seen(operation, 'ended', n), frame);
    const told = settlement.status === outcome ? outcome : 'unknown';
    const end = { type: 'compaction_ended', origin: 'manual', requestId: operation.requestId, outcome: told } as const;
    return {
      ...tell({ ...rest, ...optional('input', input), ...optional('foreign', foreign) }, end, { type: 'idle' }),
      settlement,
    };
  }
  if (foreign === id) {
    const next = { ...rest, ...optional('operation', operation), ...optional('input', input) };
    return tell(next, { type: 'compaction_ended', origin: 'foreign', outcome }, { type: 'idle' });
  }
  const turn = { type: 'turn_ended', turnId: id, outcome, kind: 'prompt' } as const;
  if (input !== id) return tell(state, turn);
  const next = { ...rest, ...optional('operation', operation), ...optional('foreign', foreign) };
  return tell(next, { ...turn, inputIds: [id] }, { type: 'input_ended', inputId: id, outcome }, { type: 'idle' });
}

/** The end of ours, by its own id: what it claims must have been seen, in order. */
function settle({ stage, isTainted, isCancelled, evidence, before }: Operation, frame: JsonObject): Settlement {
  const isProven = stage === 'compacted' || (stage === 'started' && frame.outcome !== 'completed');
  if (!isProven || isTainted)
    return { status: 'unconfirmed', context: 'unknown', reason: 'no_evidence', evidence, started: stage !== 'written' };
  if (frame.outcome === 'completed')
    return { status: 'completed', context: 'compacted', evidence, tokens: { ...optional('before', before), estimated: false } };
  const isReplaced = stage === 'compacted';
  const message = optional('message', text(frame.message));
  if (frame.outcome === 'cancelled') {
    const context = isReplaced ? 'compacted' : 'unchanged';
    return { status: 'aborted', context, by: isCancelled ? 'caller' : 'native', evidence, ...message };
  }
  const hint = frame.message === 'nothing to compact' ? ({ hint: 'nothing_to_compact' } as const) : {};
  return {
    status: 'failed',
    context: isReplaced ? 'unknown' : 'unchanged',
    reason: 'native_failed',
    evidence,
    ...hint,
    ...message,
  };
}

function seen(operation: Operation, kind: string, frame: number): Operation {
  const [first, ...others] = operation.evidence;
  return { ...operation, evidence: [first, ...others, { frame, kind, ids: { id: operation.id } }] };
}
