import { createLoopModel, type Happening, type LoopModel, MODEL_IDS } from '@native-compaction/conformance';
import { object, Unparsed } from '@native-compaction/transport';
import { describeEnumeration } from '../../../test/support/enumeration.ts';
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
const links = {
  completed: ['accepted', 'started', 'item_started', 'item_completed', 'completed'],
  failed: ['accepted', 'started', 'failed'],
  aborted: ['accepted', 'started', 'interrupted'],
};
const provenBy = { completed: ['completed'], failed: ['failed'], aborted: ['aborted'] };
const { compact, noGoal, accepted, started, itemStarted, itemCompleted, completed, failed, interrupted, abort } = events;
const { goal, foreignStarted, foreignItem, foreignCompleted, foreignInterrupted } = events;
const { probeForeign, probeInstead, probeCompact, usage, send } = events;
const noEvidence = { status: 'unconfirmed', reason: 'no_evidence' };
const answered = frame('usage(T) that counts a request', {
  method: 'thread/tokenUsage/updated',
  params: { ...object(native.usage('T', 7).params), tokenUsage: { last: { totalTokens: 7 }, total: { totalTokens: 7 } } },
});
/** A whole compaction in a child agent's thread. */
const child = [
  native.turnStarted('C'),
  native.item('item/started', 'C', 'K'),
  native.item('item/completed', 'C', 'K'),
  native.turnCompleted('C', 'completed'),
].map((value, at) => frame(`child ${at}`, { ...value, params: { ...object(value.params), threadId: 'child' } }));
const foreign: readonly Event[] = [foreignStarted, foreignItem, foreignCompleted, foreignInterrupted, probeForeign, probeInstead];
const { idle, apply } = createLoopModel({
  machine: codexMachine,
  facts: { thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions },
  opening: native.opening(),
  proofs: links,
});

describeEnumeration('Codex', {
  model: {
    idle,
    /** A goal's turn starts only after the goal was told of: shown on the real binaries. */
    apply: (state: Model, event: Event) => (foreign.includes(event) && !state.state.isContested ? state : apply(state, event)),
  },
  events,
  dispatch: [compact, noGoal],
  proofs: {
    completed: { sequence: [accepted, started, itemStarted, itemCompleted, completed], gives: { status: 'completed' } },
    failed: {
      sequence: [accepted, started, itemStarted, failed],
      gives: { status: 'failed', hint: 'provider_error', context: 'unchanged' },
    },
    aborted: {
      sequence: [accepted, started, itemStarted, abort, interrupted],
      gives: { status: 'aborted', by: 'caller', context: 'unchanged' },
    },
    'completed under a goal': {
      sequence: [
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
      gives: { status: 'completed' },
    },
    'completed behind a late probe': {
      sequence: [
        goal,
        accepted,
        foreignStarted,
        foreignInterrupted,
        probeInstead,
        probeCompact,
        started,
        itemStarted,
        itemCompleted,
        completed,
      ],
      gives: { status: 'completed' },
    },
  },
  others: [
    { sequence: [accepted, started, itemStarted, completed], gives: noEvidence },
    { sequence: [accepted, itemStarted, itemCompleted, completed], gives: noEvidence },
    // A line that was dropped may have been a part of the proof; another thread's turn is none of it.
    { sequence: [accepted, started, events.oversize, itemStarted, itemCompleted, completed], gives: noEvidence },
    { sequence: [accepted, ...child], gives: {} },
    // Between the provider's answer and the item the history may have been replaced without a word.
    { sequence: [accepted, started, itemStarted, answered, interrupted], gives: { status: 'aborted', context: 'unknown' } },
    { sequence: [events.refused], gives: { status: 'rejected', reason: 'native_refused' } },
    // Under a goal a turn of nobody's is not ours before the probe says so.
    { sequence: [goal, accepted, started, itemStarted, itemCompleted, completed], gives: {} },
    { sequence: [goal, accepted, foreignStarted, probeForeign, foreignItem, foreignCompleted], gives: {} },
  ],
  refusals: [
    [
      'goal_active',
      compact,
      ask(
        'goal',
        ({ goal }) => goal?.id,
        (id) => native.result(id, { goal: { status: 'active' } }),
      ),
    ],
    ['goal_active', compact, goal],
    ['not_ready', compact, events.oversize, noGoal],
    [
      'not_ready',
      compact,
      ask(
        'goal unreadable',
        ({ goal }) => goal?.id,
        (id) => native.error(id, 'no'),
      ),
    ],
    ['busy_turn', compact, started],
  ],
  links,
  provenBy,
  unrelated: { events: [usage, send, compact, noGoal], proofs: ['completed', 'failed', 'aborted'] },
  check(before, event, { outcome, state }) {
    const [was, is] = [before.state.operation, state.operation];
    if (is?.cancelWritten && !was?.cancelWritten && was?.bound === undefined) return 'C1 a cancel without its target';
    if (outcome === before.outcome || !outcome) return undefined;
    if (outcome.status in provenBy && !outcome.evidence.some(({ ids }) => ids.turnId === 'T'))
      return `${outcome.status} for a turn that is not ours`;
    const isRefusal = outcome.status === 'rejected' && outcome.reason === 'native_refused';
    return isRefusal && event !== events.refused ? 'refused by nobody' : undefined;
  },
});
