import { createLoopModel, type Happening, MODEL_IDS } from '@native-compaction/conformance';
import { Unparsed } from '@native-compaction/transport';
import { describeEnumeration } from '../../../test/support/enumeration.ts';
import type { PiIn } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import type { PiState } from '../src/state.ts';
import { native } from './support/native.ts';

type Event = Happening<PiIn, PiState>;
const frame = (name: string, value: PiIn, link?: string): Event => ({ name, frame: value, ...(link ? { link } : {}) });
const answer = (name: string, data = {}): Event => ({
  name,
  answer: ({ read }) => (read && read.answer === undefined ? native.state(read.id, data) : undefined),
});
const { operation, input, cancel } = MODEL_IDS;

const events = {
  compact: { name: 'compact()', host: 'compact' },
  abort: { name: 'abort()', host: 'abort' },
  timeout: { name: 'timeout', host: 'timeout' },
  send: { name: 'send()', host: 'send' },
  dispose: { name: 'dispose', host: 'dispose' },
  exit: { name: 'exit', host: 'exit' },
  isIdle: answer('state: idle'),
  isBusy: answer('state: streaming', { isStreaming: true }),
  started: frame('start(manual)', native.start(), 'start'),
  completed: frame('end(result)', native.completed(), 'completed'),
  failed: frame('end(error)', native.failed(), 'failed'),
  aborted: frame('end(aborted)', native.aborted(), 'aborted'),
  odd: frame('end(nothing)', { type: 'compaction_end', reason: 'manual' }),
  done: frame('answer: done', native.answer(operation, 'compact', native.result), 'done'),
  refused: frame('answer: error', native.failure(operation, 'compact'), 'refused'),
  spoilt: frame('promise spoilt', { ...native.failure(operation, 'compact'), adapterMade: true }, 'spoilt'),
  otherDone: frame('answer to somebody else', native.answer('theirs', 'compact', native.result)),
  autoStarted: frame('start(threshold)', native.start('threshold')),
  autoEnded: frame('end(overflow)', native.failed('overflow')),
  runStarted: frame('agent_start', { type: 'agent_start' }),
  runSettled: frame('agent_settled', { type: 'agent_settled', aborted: false }),
  userSaid: frame('message_end(user)', native.user('x')),
  otherSaid: frame('message_end(user of somebody else)', native.user('theirs')),
  loopEnded: frame('agent_end', { type: 'agent_end', messages: [], willRetry: false }),
  inputStarted: frame('prompt started', native.answer(input, 'prompt', { disposition: 'started' })),
  inputHandled: frame('prompt handled', native.answer(input, 'prompt', { disposition: 'handled' })),
  inputRefused: frame('prompt refused', native.failure(input, 'prompt')),
  cancelled: frame('abort answered', native.answer(cancel, 'abort')),
  oversize: frame('oversize line', new Unparsed('oversize', '', 1e9)),
} satisfies Record<string, Event>;
const links = {
  completed: ['start', 'completed', 'done'],
  spoilt: ['start', 'completed', 'spoilt'],
  failed: ['start', 'failed', 'refused'],
  aborted: ['start', 'aborted', 'refused'],
  failedInProcess: ['start', 'failed', 'spoilt'],
  abortedInProcess: ['start', 'aborted', 'spoilt'],
};
/** In process a promise that was rejected closes them as well; it also closes one that a host's listener spoilt. */
const provenBy = {
  completed: ['completed', 'spoilt'],
  failed: ['failed', 'failedInProcess'],
  aborted: ['aborted', 'abortedInProcess'],
};
const { compact, isIdle, started, completed, failed, aborted, done, refused, spoilt, abort } = events;
const { autoStarted, autoEnded, runStarted, oversize, otherDone, runSettled, inputHandled, send, isBusy } = events;
const ambiguous = { status: 'unconfirmed', reason: 'ambiguous' };
const noEvidence = { status: 'unconfirmed', reason: 'no_evidence' };
/** Two that overlapped left one without a word: its end may come in the place of the next one's. */
const orphaned = [started, started, completed, done, isIdle, compact, isIdle];

describeEnumeration('Pi', {
  model: createLoopModel({
    machine: piMachine,
    facts: { deltas: false, testedVersions, version: '1.6.0' },
    opening: native.opening(),
    proofs: links,
  }),
  events,
  dispatch: [compact, isIdle],
  proofs: {
    completed: { sequence: [started, completed, done], gives: { status: 'completed', summary: 'S' } },
    failed: { sequence: [started, failed, refused], gives: { status: 'failed', context: 'unchanged' } },
    aborted: { sequence: [started, abort, aborted, refused], gives: { status: 'aborted', by: 'caller' } },
    'completed behind a foreign one': {
      sequence: [started, aborted, started, completed, done],
      gives: { status: 'completed' },
    },
  },
  others: [
    { sequence: [refused], gives: { status: 'rejected', reason: 'native_refused' } },
    { sequence: [started, started, completed, done], gives: { status: 'completed' } },
    { sequence: [started, started, completed, refused], gives: ambiguous },
    { sequence: [started, aborted, started, refused], gives: { status: 'aborted', by: 'native' } },
    { sequence: [started, aborted, started, failed, refused], gives: ambiguous },
    { sequence: [started, completed, spoilt], gives: { status: 'completed', summary: 'S' } },
    { sequence: [started, completed, refused], gives: noEvidence },
    { sequence: [started, refused], gives: { ...noEvidence, started: true } },
    { sequence: [done], gives: { ...noEvidence, started: false } },
    // In process every refusal is a promise that was rejected; only an end of ours that stands alone says that it was spoilt.
    { sequence: [started, failed, spoilt], gives: { status: 'failed', context: 'unchanged' } },
    { sequence: [started, aborted, spoilt], gives: { status: 'aborted', by: 'native' } },
    { sequence: [started, completed, started, spoilt], gives: noEvidence },
    { sequence: [started, completed], gives: {} },
    // An end before our start is somebody else's, and a line that was dropped may have been a part of the proof.
    { sequence: [completed, started, failed, refused], gives: { status: 'failed' } },
    { sequence: [started, oversize, completed, done], gives: noEvidence },
    { sequence: [...orphaned, started, completed, spoilt], gives: { status: 'unconfirmed' } },
    { sequence: [...orphaned, started, completed, done], gives: { status: 'completed' } },
  ],
  refusals: [
    ['busy_turn', compact, isBusy],
    ['busy_turn', compact, answer('state: bash', { isBashRunning: true })],
    ['busy_turn', compact, frame('bash', { type: 'bash_execution_update', id: 'theirs' })],
    ['busy_turn', compact, runStarted],
    ['busy_compaction', compact, answer('state: compacting', { isCompacting: true })],
    ['busy_compaction', compact, autoStarted],
    ['busy_compaction', compact, started],
    ['queued_input', compact, frame('queue', { type: 'queue_update', steering: ['x'], followUp: [] })],
    ['queued_input', compact, answer('state: one in the queue', { pendingMessageCount: 1 })],
  ],
  links,
  provenBy,
  unrelated: {
    events: [autoStarted, autoEnded, otherDone, runStarted, runSettled, inputHandled, send, compact, isIdle, isBusy],
    proofs: ['completed', 'failed', 'aborted'],
  },
  check(before, event, after) {
    const { outcome } = after;
    const isRejection = event === refused || event === spoilt;
    if (outcome !== before.outcome && outcome) {
      if (outcome.status === 'completed' && event !== done && event !== spoilt)
        return 'completed by something else than our answer';
      if (outcome.status === 'completed' && event === spoilt && before.state.operation?.hasOrphan)
        return "completed by an end that may be somebody else's";
      if (outcome.status === 'rejected' && outcome.reason === 'native_refused' && !isRejection) return 'refused by nobody';
      if (outcome.status === 'unconfirmed' && outcome.evidence.length === 0) return 'unconfirmed without its trail';
    }
    const hadStarted = before.state.operation?.stage === 'started';
    if (after.state.operation?.cancelWritten && !before.state.operation?.cancelWritten && !hadStarted)
      return 'C1 a cancel without its target';
    return undefined;
  },
});
