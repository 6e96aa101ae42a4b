import { createLoopModel, type Happening, MODEL_IDS } from '@native-compaction/conformance';
import { type JsonObject, Unparsed } from '@native-compaction/transport';
import type { ClaudeIn } from '../../src/frames.ts';
import { claudeMachine } from '../../src/machine.ts';
import { type ClaudeState, OPEN_ID } from '../../src/state.ts';
import { native } from './native.ts';

const U = MODEL_IDS.operation;
const V = 'uuid-stale';
const I = MODEL_IDS.input;

type Event = Happening<ClaudeIn, ClaudeState>;

const frame = (name: string, value: ClaudeIn, link?: string): Event => ({ name, frame: value, ...(link ? { link } : {}) });

/** Own, foreign, automatic, stale, duplicate and ending events. */
export const happenings = {
  compact: { name: 'compact()', host: 'compact' },
  abort: { name: 'abort()', host: 'abort' },
  timeout: { name: 'timeout', host: 'timeout' },
  send: { name: 'send()', host: 'send' },
  dispose: { name: 'dispose', host: 'dispose' },
  exit: { name: 'exit', host: 'exit' },
  answerRead: { name: 'catalogue', answer: ({ read }) => (read ? native.opened(read.id) : undefined) },
  answerCancel: { name: 'receipt', answer: ({ cancel }) => (cancel ? native.receipt(cancel.id) : undefined) },
  queued: frame('queued(U)', native.lifecycle(U, 'queued')),
  started: frame('started(U)', native.lifecycle(U, 'started'), 'started'),
  lifeCompleted: frame('completed(U)', native.lifecycle(U, 'completed')),
  lifeCancelled: frame('cancelled(U)', native.lifecycle(U, 'cancelled'), 'cancelled'),
  refused: frame('refused(U)', native.lifecycle(U, 'refused')),
  discarded: frame('discarded(U)', native.lifecycle(U, 'discarded'), 'cancelled'),
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
} as const satisfies Record<string, Event>;

/** The answer to the gate's read, with other members. */
export const catalogue = (extra: JsonObject): Event => ({
  name: 'another catalogue',
  answer: ({ read }) => (read ? native.opened(read.id, extra) : undefined),
});
/** Frames of one turn for our command and another message. */
export const initMerged = frame('init(U, V)', native.init(U, V), 'init');
export const resultMerged = frame('result(U, V)', native.compactResult(U, { user_message_uuids: [U, V] }));

/** The links of each proof in order, for an oracle that knows no stage. */
export const links = {
  success: ['started', 'compacting', 'success', 'init', 'boundary', 'result'],
  failure: ['started', 'compacting', 'failed', 'init', 'result'],
  empty: ['started', 'init', 'command_failed', 'result'],
  cancelled: ['cancelled'],
  started: ['started'],
};
export const provenBy = { completed: ['success'], failed: ['failure', 'empty'], aborted: ['cancelled'] };

/** An idle session that has just been opened, and how it goes on. */
export const { idle, apply } = createLoopModel({
  machine: claudeMachine,
  facts: { prompt: {}, testedVersions: ['2.1.332'] },
  opening: [native.opened(OPEN_ID)],
  proofs: links,
});
