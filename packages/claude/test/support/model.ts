import type { Outcome, Ref, Slot } from '@native-compaction/core';
import { freeSlot, stepSlot } from '@native-compaction/core';
import { Unparsed } from '@native-compaction/transport';
import type { ClaudeIn, ClaudeOut } from '../../src/frames.ts';
import { claudeMachine } from '../../src/machine.ts';
import { type ClaudeState, OPEN_ID } from '../../src/state.ts';
import { native } from './native.ts';

const U = 'uuid-ours';
const V = 'uuid-stale';
const I = 'uuid-input';

/** The machine, the slot and the held inputs as one value, stepped in the loop's own order; enumeration forks it. */
export interface Model {
  readonly n: number;
  readonly state: ClaudeState;
  readonly slot: Slot;
  readonly since: number;
  readonly held: number;
  readonly written: number;
  readonly ended: number;
  readonly outcome?: Outcome;
  readonly outcomes: number;
  readonly settlements: number;
  readonly isOver: boolean;
  /** How many links of each proof have been seen in order since the dispatch, read by an oracle that knows no stage. */
  readonly links: number;
  readonly failureLinks: number;
  readonly emptyLinks: number;
  readonly hasStarted: boolean;
}

export type Happening =
  | { readonly name: string; readonly frame: ClaudeIn; readonly link?: string }
  | {
      readonly name: string;
      readonly host: 'compact' | 'abort' | 'timeout' | 'signal' | 'send' | 'dispose' | 'exit' | 'answer_read' | 'answer_cancel';
    };

const frame = (name: string, value: ClaudeIn, link?: string): Happening => ({ name, frame: value, ...(link ? { link } : {}) });

/** Own, foreign, automatic, stale, duplicate and ending events. */
export const happenings = {
  compact: { name: 'compact()', host: 'compact' },
  abort: { name: 'abort()', host: 'abort' },
  timeout: { name: 'timeout', host: 'timeout' },
  send: { name: 'send()', host: 'send' },
  dispose: { name: 'dispose', host: 'dispose' },
  exit: { name: 'exit', host: 'exit' },
  answerRead: { name: 'catalogue', host: 'answer_read' },
  answerCancel: { name: 'receipt', host: 'answer_cancel' },
  queued: frame('queued(U)', native.lifecycle(U, 'queued')),
  started: frame('started(U)', native.lifecycle(U, 'started'), 'started'),
  lifeCompleted: frame('completed(U)', native.lifecycle(U, 'completed')),
  lifeCancelled: frame('cancelled(U)', native.lifecycle(U, 'cancelled')),
  refused: frame('refused(U)', native.lifecycle(U, 'refused')),
  discarded: frame('discarded(U)', native.lifecycle(U, 'discarded')),
  compacting: frame('compacting', native.compacting(), 'compacting'),
  success: frame('success', native.compacted('success'), 'success'),
  failed: frame('failed', native.compacted('failed', 'API Error: 500'), 'failed'),
  status: frame('status null', native.status()),
  init: frame('init(U)', native.init(U), 'init'),
  initForeign: frame('init(V)', native.init(V)),
  initBare: frame('init()', native.init()),
  boundary: frame('boundary manual', native.boundary('manual'), 'boundary'),
  boundaryAuto: frame('boundary auto', native.boundary('auto')),
  commandFailed: frame('command failed', native.commandFailed('Error: No messages to compact'), 'command_failed'),
  result: frame('result(U)', native.compactResult(U), 'result'),
  resultPlain: frame('result(U) of a model turn', native.result(U)),
  resultStale: frame('result(V) of a compaction', native.compactResult(V)),
  resultAutonomous: frame('result()', native.autonomous()),
  startedStale: frame('started(V)', native.lifecycle(V, 'started')),
  inputStarted: frame('started(I)', native.lifecycle(I, 'started')),
  inputResult: frame('result(I)', native.result(I)),
  oversize: frame('oversize line', new Unparsed('oversize', '', 1e9)),
} as const satisfies Record<string, Happening>;

const success = ['started', 'compacting', 'success', 'init', 'boundary', 'result'];
const failure = ['started', 'compacting', 'failed', 'init', 'result'];
const empty = ['started', 'init', 'command_failed', 'result'];
export const LINKS = { success: success.length, failure: failure.length, empty: empty.length };

/** An idle session that has just been opened. */
export function idleModel(): Model {
  const { state } = claudeMachine.init({ prompt: {}, testedVersions: ['2.1.332'] });
  const blank = { slot: freeSlot, since: 0, held: 0, written: 0, ended: 0, outcomes: 0, settlements: 0, isOver: false };
  const model: Model = { n: 0, state, ...blank, links: 0, failureLinks: 0, emptyLinks: 0, hasStarted: false };
  return stepFrame(model, native.opened(OPEN_ID));
}

export function apply(model: Model, happening: Happening): Model {
  if (model.isOver) return model;
  if ('frame' in happening) return quiet(stepFrame(model, happening.frame, happening.link));
  switch (happening.host) {
    case 'compact':
      return compact(model);
    case 'abort':
      return abort(model);
    case 'timeout':
    case 'signal': {
      if (model.slot.phase !== 'dispatched') return model;
      return withSlot(model, { type: 'stop_waiting', reason: happening.host, trail: claudeMachine.trail(model.state) });
    }
    case 'send':
      return quiet({ ...model, held: model.held + 1 });
    case 'answer_read':
      return model.state.read ? quiet(stepFrame(model, native.opened(model.state.read.id))) : model;
    case 'answer_cancel':
      return model.state.cancel ? quiet(stepFrame(model, native.receipt(model.state.cancel.id))) : model;
    default:
      return end(model, happening.host === 'exit' ? 'process_exit' : 'disposed');
  }
}

function compact(model: Model): Model {
  if (model.slot.phase !== 'free' || model.held > 0 || claudeMachine.busy(model.state))
    return { ...model, outcomes: model.outcomes };
  const reserved = withSlot({ ...model, outcomes: 0, settlements: 0 }, { type: 'reserve', requestId: 'r' });
  const { outcome: _last, ...asked } = reserved;
  const n = model.n + 1;
  const step = claudeMachine.step(asked.state, {
    n,
    atMs: 0,
    dir: 'host',
    ask: 'compact',
    requestId: 'r',
    operationId: 'uuid-ours',
  });
  return quiet({ ...asked, n, since: n, state: step.state, links: 0, failureLinks: 0, emptyLinks: 0, hasStarted: false });
}

function abort(model: Model): Model {
  if (model.slot.phase === 'reserved') return quiet(withSlot(model, { type: 'refuse', reason: 'aborted' }));
  const cancel = claudeMachine.cancel(model.state, 'cancel-1');
  return cancel ? write(model, cancel, { kind: 'cancel', id: 'cancel-1' }) : model;
}

function stepFrame(model: Model, value: ClaudeIn, link?: string): Model {
  const n = model.n + 1;
  const step = claudeMachine.step(model.state, { n, atMs: 0, dir: 'in', frame: value });
  let next: Model = { ...model, n, state: step.state };
  if (model.slot.phase === 'dispatched') {
    next = {
      ...next,
      links: success[next.links] === link ? next.links + 1 : next.links,
      failureLinks: failure[next.failureLinks] === link ? next.failureLinks + 1 : next.failureLinks,
      emptyLinks: empty[next.emptyLinks] === link ? next.emptyLinks + 1 : next.emptyLinks,
      hasStarted: next.hasStarted || link === 'started',
    };
  }
  for (const record of step.records) {
    if (record.type === 'input_ended') next = { ...next, written: next.written - 1, ended: next.ended + 1 };
  }
  for (const { frame: out, ref } of step.writes ?? []) next = write(next, out, ref);
  if (!step.settlement) return next;
  return withSlot({ ...next, settlements: next.settlements + 1 }, { type: 'settle', settlement: step.settlement });
}

/** The loop's quiet point: the gate first, then one held input. */
function quiet(model: Model): Model {
  let next = model;
  if (next.slot.phase === 'reserved') {
    const admission = claudeMachine.admit(next.state, next.since);
    if ('reject' in admission) next = withSlot(next, { type: 'refuse', reason: admission.reject });
    else if ('ask' in admission) for (const { frame: out, ref } of admission.ask) next = write(next, out, ref);
    else if ('go' in admission) {
      next = withSlot(next, { type: 'dispatch' });
      next = write(next, claudeMachine.compact(next.state, { requestId: 'r', operationId: U }), { kind: 'compact', id: U });
    }
  }
  if (next.slot.phase !== 'free' || next.held === 0 || next.written > 0 || claudeMachine.busy(next.state)) return next;
  const out = claudeMachine.input(next.state, { id: I, text: 'x' });
  return write({ ...next, held: next.held - 1, written: next.written + 1 }, out, { kind: 'input', id: I });
}

function write(model: Model, value: ClaudeOut, ref: Ref): Model {
  const n = model.n + 1;
  return { ...model, n, state: claudeMachine.step(model.state, { n, atMs: 0, dir: 'out', frame: value, ref }).state };
}

function end(model: Model, why: 'process_exit' | 'disposed'): Model {
  const n = model.n + 1;
  const { state } = claudeMachine.step(model.state, { n, atMs: 0, dir: 'end', why });
  const ended = withSlot({ ...model, n, state }, { type: 'end', why, trail: claudeMachine.trail(state) });
  return { ...ended, isOver: true, ended: ended.ended + ended.held + ended.written, held: 0, written: 0 };
}

function withSlot(model: Model, event: Parameters<typeof stepSlot>[1]): Model {
  const { slot, outcome } = stepSlot(model.slot, event);
  if (!outcome) return { ...model, slot };
  return { ...model, slot, outcome, outcomes: model.outcomes + 1 };
}
