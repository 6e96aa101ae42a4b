import {
  brokenPromise,
  createLoopModel,
  disturbances,
  enumerate,
  type Happening,
  type LoopModel,
  MODEL_IDS,
} from '@native-compaction/conformance';
import { Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import type { PiIn } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import type { PiState } from '../src/state.ts';
import { native } from './support/native.ts';

type Model = LoopModel<PiState>;
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
const all: readonly Event[] = Object.values(events);
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
const { compact, isIdle, started, completed, failed, aborted, done, refused, abort } = events;
const proofs: Record<string, readonly Event[]> = {
  completed: [started, completed, done],
  failed: [started, failed, refused],
  aborted: [started, abort, aborted, refused],
  'completed behind a foreign one': [started, aborted, started, completed, done],
};
const { idle, apply } = createLoopModel({
  machine: piMachine,
  facts: { deltas: false, testedVersions, version: '1.6.0' },
  opening: native.opening(),
  proofs: links,
});

function check(before: Model, event: Event, after: Model): string | undefined {
  const { outcome } = after;
  const isRejection = event === refused || event === events.spoilt;
  if (outcome !== before.outcome && outcome) {
    if (outcome.status === 'completed' && event !== done && event !== events.spoilt)
      return 'completed by something else than our answer';
    if (outcome.status === 'completed' && event === events.spoilt && before.state.operation?.hasOrphan)
      return "completed by an end that may be somebody else's";
    if (outcome.status === 'rejected' && outcome.reason === 'native_refused' && !isRejection) return 'refused by nobody';
    if (outcome.status === 'unconfirmed' && outcome.evidence.length === 0) return 'unconfirmed without its trail';
  }
  if (before.slot.phase === 'reserved' && after.slot.phase === 'dispatched' && event !== isIdle)
    return 'G4 dispatched without a fresh word of Pi that it is idle';
  const hadStarted = before.state.operation?.stage === 'started';
  if (after.state.operation?.cancelWritten && !before.state.operation?.cancelWritten && !hadStarted)
    return 'C1 a cancel without its target';
  return brokenPromise(before, after, links, provenBy);
}

const model = { events: all, apply, check };
const name = (event: Event) => event.name;
const after = (...sequence: Event[]) => sequence.reduce(apply, idle);
const run = (start: Model, sequence: readonly Event[]): Model =>
  sequence.reduce((state, event) => {
    const next = apply(state, event);
    const broken = check(state, event, next);
    if (broken) throw new Error(`${broken}: ${sequence.map(name).join(' → ')}`);
    return next;
  }, start);
const tell = (line: string) => {
  if (process.env.REPORT) console.log(line);
};
const dispatched = after(compact, isIdle);

describe('enumeration of the Pi machine with loop and slot', () => {
  test('the proofs themselves give their outcomes', () => {
    expect(dispatched.slot.phase).toBe('dispatched');
    const outcomeOf = (...sequence: Event[]) => run(dispatched, sequence).outcome;
    expect(outcomeOf(...(proofs.completed ?? []))).toMatchObject({ status: 'completed', summary: 'S' });
    expect(outcomeOf(...(proofs.failed ?? []))).toMatchObject({ status: 'failed', context: 'unchanged' });
    expect(outcomeOf(...(proofs.aborted ?? []))).toMatchObject({ status: 'aborted', by: 'caller' });
    expect(outcomeOf(...(proofs['completed behind a foreign one'] ?? []))?.status).toBe('completed');
    expect(outcomeOf(refused)).toMatchObject({ status: 'rejected', reason: 'native_refused' });
    expect(outcomeOf(started, started, completed, done)?.status).toBe('completed');
    expect(outcomeOf(started, started, completed, refused)).toMatchObject({ status: 'unconfirmed', reason: 'ambiguous' });
    expect(outcomeOf(started, aborted, started, refused)).toMatchObject({ status: 'aborted', by: 'native' });
    expect(outcomeOf(started, aborted, started, failed, refused)).toMatchObject({ status: 'unconfirmed', reason: 'ambiguous' });
    expect(outcomeOf(started, completed, events.spoilt)).toMatchObject({ status: 'completed', summary: 'S' });
    expect(outcomeOf(started, completed, refused)).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
    expect(outcomeOf(started, refused)).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
    expect(outcomeOf(started, completed)).toBeUndefined();
    // Two that overlapped left one without a word: its end may come in the place of the next one's.
    const orphaned = run(dispatched, [started, started, completed, done, isIdle, compact, isIdle]);
    expect(orphaned.slot.phase).toBe('dispatched');
    expect(run(orphaned, [started, completed, events.spoilt]).outcome).toMatchObject({ status: 'unconfirmed' });
    expect(run(orphaned, [started, completed, done]).outcome).toMatchObject({ status: 'completed' });
  });

  test('every sequence of 5 events from an idle session, and of 4 from the dispatch', { timeout: 600_000 }, () => {
    const fromIdle = enumerate(model, idle, 5, name);
    const fromDispatch = enumerate(model, dispatched, 4, name);
    tell(`pi: ${fromIdle.sequences} sequences from idle, ${fromDispatch.sequences} from the dispatch`);
    expect(fromIdle.sequences + fromDispatch.sequences).toBeGreaterThan(1_000_000);
  });

  test.each(Object.keys(proofs))(
    'every 3 events after every prefix of %s, and two insertions anywhere',
    { timeout: 600_000 },
    (what) => {
      const proof = proofs[what] ?? [];
      let count = 0;
      for (let length = 0; length < proof.length; length += 1)
        count += enumerate(model, run(dispatched, proof.slice(0, length)), 3, name).sequences;
      for (const sequence of disturbances(proof, all, 2)) {
        run(dispatched, sequence);
        count += 1;
      }
      tell(`pi: ${count} disturbances of ${what}`);
      expect(count).toBeGreaterThan(10_000);
    },
  );
});
