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
import type { CodexIn } from '../src/frames.ts';
import { codexMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import type { CodexState } from '../src/state.ts';
import { native } from './support/native.ts';

type Model = LoopModel<CodexState>;
type Event = Happening<CodexIn, CodexState>;
const frame = (name: string, value: CodexIn, link?: string): Event => ({ name, frame: value, ...(link ? { link } : {}) });
const ask = (name: string, id: (state: CodexState) => string | undefined, reply: (id: string) => CodexIn): Event => ({
  name,
  answer(state) {
    const asked = id(state);
    return asked === undefined ? undefined : reply(asked);
  },
});
const probeOf = (turnId: string) => (state: CodexState) =>
  state.operation?.candidates.find((item) => item.turnId === turnId)?.probeId;

const events = {
  compact: { name: 'compact()', host: 'compact' },
  abort: { name: 'abort()', host: 'abort' },
  timeout: { name: 'timeout', host: 'timeout' },
  send: { name: 'send()', host: 'send' },
  dispose: { name: 'dispose', host: 'dispose' },
  exit: { name: 'exit', host: 'exit' },
  noGoal: ask(
    'no goal',
    ({ goal }) => goal?.id,
    (id) => native.result(id, { goal: null }),
  ),
  accepted: frame('accepted', native.result(MODEL_IDS.operation), 'accepted'),
  refused: frame('refused', native.error(MODEL_IDS.operation, 'no')),
  started: frame('started(T)', native.turnStarted('T'), 'started'),
  itemStarted: frame('item started(T)', native.item('item/started', 'T', 'I'), 'item_started'),
  itemCompleted: frame('item completed(T)', native.item('item/completed', 'T', 'I'), 'item_completed'),
  completed: frame('completed(T)', native.turnCompleted('T', 'completed'), 'completed'),
  failed: frame('failed(T)', native.turnCompleted('T', 'failed', { message: 'no', codexErrorInfo: 'other' }), 'failed'),
  interrupted: frame('interrupted(T)', native.turnCompleted('T', 'interrupted'), 'interrupted'),
  usage: frame('usage(T)', native.usage('T', 7)),
  probeCompact: ask('T is compact', probeOf('T'), native.isCompact),
  probeOrdinary: ask('T is ordinary', probeOf('T'), native.isOrdinary),
  goal: frame('goal active', native.goal('active')),
  foreignStarted: frame('started(G)', native.turnStarted('G')),
  foreignItem: frame('item completed(G)', native.item('item/completed', 'G', 'J')),
  foreignCompleted: frame('completed(G)', native.turnCompleted('G', 'completed')),
  foreignInterrupted: frame('interrupted(G)', native.turnCompleted('G', 'interrupted')),
  probeForeign: ask('G is ordinary', probeOf('G'), native.isOrdinary),
  probeInstead: ask('T runs instead of G', probeOf('G'), (id) => native.error(id, 'expected active turn id `G` but found `T`')),
  inputTaken: frame('input taken', native.result(MODEL_IDS.input, { turn: { id: 'P' } })),
  inputEnded: frame('completed(P)', native.turnCompleted('P', 'completed')),
  oversize: frame('oversize line', new Unparsed('oversize', '', 1e9)),
} satisfies Record<string, Event>;
const all: readonly Event[] = Object.values(events);
const links = {
  completed: ['accepted', 'started', 'item_started', 'item_completed', 'completed'],
  failed: ['accepted', 'started', 'failed'],
  aborted: ['accepted', 'started', 'interrupted'],
};
const {
  compact,
  noGoal,
  accepted,
  started,
  itemStarted,
  itemCompleted,
  completed,
  failed,
  interrupted,
  abort,
  goal,
  foreignStarted,
  foreignInterrupted,
  probeForeign,
  probeCompact,
} = events;
const proofs: Record<string, readonly Event[]> = {
  completed: [accepted, started, itemStarted, itemCompleted, completed],
  failed: [accepted, started, itemStarted, failed],
  aborted: [accepted, started, itemStarted, abort, interrupted],
  'completed under a goal': [
    goal,
    accepted,
    foreignStarted,
    probeForeign,
    foreignInterrupted,
    started,
    probeCompact,
    itemStarted,
    itemCompleted,
    completed,
  ],
  'completed behind a late probe': [
    goal,
    accepted,
    foreignStarted,
    foreignInterrupted,
    events.probeInstead,
    probeCompact,
    started,
    itemStarted,
    itemCompleted,
    completed,
  ],
};
const foreign: readonly Event[] = [
  events.foreignStarted,
  events.foreignItem,
  events.foreignCompleted,
  events.foreignInterrupted,
  events.probeForeign,
  events.probeInstead,
];
const { idle, apply: applyAny } = createLoopModel({
  machine: codexMachine,
  facts: { thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions },
  opening: native.opening(),
  proofs: links,
});

/** A goal's turn starts only after the goal was told of: shown on the real binaries. */
const apply = (state: Model, event: Event): Model =>
  foreign.includes(event) && !state.state.isContested ? state : applyAny(state, event);

const provenBy = { completed: ['completed'], failed: ['failed'], aborted: ['aborted'] };

function check(before: Model, event: Event, after: Model): string | undefined {
  const { outcome } = after;
  if (outcome !== before.outcome && outcome) {
    if (outcome.status in provenBy && !outcome.evidence.some(({ ids }) => ids.turnId === 'T'))
      return `${outcome.status} for a turn that is not ours`;
    if (outcome.status === 'rejected' && outcome.reason === 'native_refused' && event !== events.refused)
      return 'refused by nobody';
  }
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

describe('enumeration of the Codex machine with loop and slot', () => {
  test('the proofs themselves give their outcomes', () => {
    const dispatched = after(compact, noGoal);
    expect(dispatched.slot.phase).toBe('dispatched');
    expect(run(dispatched, proofs.completed ?? []).outcome?.status).toBe('completed');
    expect(run(dispatched, proofs.failed ?? []).outcome).toMatchObject({
      status: 'failed',
      hint: 'provider_error',
      context: 'unchanged',
    });
    expect(run(dispatched, proofs.aborted ?? []).outcome).toMatchObject({
      status: 'aborted',
      by: 'caller',
      context: 'unchanged',
    });
    expect(run(dispatched, proofs['completed under a goal'] ?? []).outcome?.status).toBe('completed');
    expect(run(dispatched, proofs['completed behind a late probe'] ?? []).outcome?.status).toBe('completed');
    expect(run(dispatched, [goal, accepted, started, itemStarted, itemCompleted, completed]).outcome).toBeUndefined();
  });

  test('every sequence of 5 events from an idle thread, and of 4 from the dispatch', { timeout: 600_000 }, () => {
    const fromIdle = enumerate(model, idle, 5, name);
    const fromDispatch = enumerate(model, after(compact, noGoal), 4, name);
    tell(`codex: ${fromIdle.sequences} sequences from idle, ${fromDispatch.sequences} from the dispatch`);
    expect(fromIdle.sequences + fromDispatch.sequences).toBeGreaterThan(1_000_000);
  });

  test.each(Object.keys(proofs))(
    'every 3 events after every prefix of %s, and two insertions anywhere',
    { timeout: 600_000 },
    (what) => {
      const proof = proofs[what] ?? [];
      const dispatched = after(compact, noGoal);
      let count = 0;
      for (let length = 0; length < proof.length; length += 1)
        count += enumerate(model, run(dispatched, proof.slice(0, length)), 3, name).sequences;
      for (const sequence of disturbances(proof, all, 2)) {
        run(dispatched, sequence);
        count += 1;
      }
      tell(`codex: ${count} disturbances of ${what}`);
      expect(count).toBeGreaterThan(10_000);
    },
  );
});
