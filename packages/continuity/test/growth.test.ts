import { expect, test } from 'vitest';
import {
  applyFact,
  auditRebuilt,
  buildHandoff,
  commitDelta,
  compactInstructions,
  emptyLedger,
  estimateTokens,
  inFlightOf,
  type Ledger,
  objectiveContext,
  projectCompleted,
  projectContinuation,
  projectResumable,
  projectVisible,
  restoreLedger,
  snapshotLedger,
  type TranscriptMessage,
} from '../src/index.ts';
import { assistant, group, user } from './support/transcript.ts';

const SMALL = 10_000;
const LARGE = 100_000;
/**
 * Linear work on ten times as much costs ten times as much, and up to three times that with the collection of garbage; a quadratic
 * one would cost a hundred times.
 */
const LIMIT = 60;
const ATTEMPTS = 3;

/** Milliseconds of the processor's own time, so that what else runs on the machine does not count; the best of `runs`. */
function cost(work: () => unknown, runs = 1): number {
  const times = Array.from({ length: runs }, () => {
    const start = process.cpuUsage();
    work();
    const { user: own, system } = process.cpuUsage(start);
    return (own + system) / 1_000;
  });
  return Math.max(0.1, Math.min(...times));
}

/** The least of some comparisons, taken until one is within the limit: other load makes one worse, and none better. */
function growthOf(after: () => unknown, before: () => unknown, limit: number): number {
  before();
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= limit; attempt += 1) {
    const small = cost(before, 2);
    least = Math.min(least, cost(after) / small);
  }
  return least;
}

function sessionOf(requests: number): Ledger {
  let ledger = emptyLedger;
  for (let n = 0; n < requests; n += 1) {
    const id = `request-${n}`;
    ledger = applyFact(ledger, {
      t: 'accepted',
      id,
      text: `please handle item ${n} of the list`,
      kind: n === 0 ? 'skill' : 'prompt',
    });
    if (n % 1_000 === 999) ledger = applyFact(ledger, { t: 'related', id, relation: 'replace' });
    ledger = applyFact(ledger, { t: 'started', id });
    if (n < requests - 1) ledger = applyFact(ledger, { t: 'settled', id, outcome: n % 50 === 0 ? 'failed' : 'completed' });
  }
  return ledger;
}
const transcriptOf = (turns: number): TranscriptMessage[] =>
  Array.from({ length: turns }, (_, n) => [
    user(`u${n}`, n % 10 === 0 ? 'refine' : 'continue'),
    ...group(`g${n}`),
    assistant(`a${n}`),
  ]).flat();

const unlimited = { totalTokens: 1e9, headTokens: 1e3, inFlightTokens: 1e4, estimate: estimateTokens };
const tight = { totalTokens: 20_000, headTokens: 2_000, inFlightTokens: 1e4, estimate: estimateTokens };
const inputOf = (size: number) => {
  const ledger = sessionOf(size);
  return { ledger, transcript: transcriptOf(size / 4), handoff: buildHandoff(ledger, '', unlimited).render() };
};
const small = inputOf(SMALL);
const large = inputOf(LARGE);

test('one fact costs the same whatever came before', () => {
  const more = (ledger: Ledger) => () => {
    let folded = ledger;
    for (let n = 0; n < 5_000; n += 1) {
      folded = applyFact(folded, { t: 'accepted', id: `more-${n}`, text: 'x' });
      folded = applyFact(folded, { t: 'started', id: `more-${n}` });
      folded = applyFact(folded, { t: 'settled', id: `more-${n}`, outcome: 'completed' });
    }
    return folded;
  };
  const ratio = growthOf(more(large.ledger), more(small.ledger), 5);
  console.log(`15,000 facts on ${LARGE} requests against ${SMALL}: ${ratio.toFixed(2)} times`);
  expect(ratio).toBeLessThan(5);
  expect(inFlightOf(large.ledger)).toHaveLength(1);
});

test('one fact costs the same however many are in flight', () => {
  const running = (requests: number) => {
    let ledger = emptyLedger;
    for (let n = 0; n < requests; n += 1) {
      ledger = applyFact(ledger, { t: 'accepted', id: `request-${n}`, text: 'x' });
      ledger = applyFact(ledger, { t: 'started', id: `request-${n}` });
    }
    return ledger;
  };
  const few = running(SMALL);
  const many = running(LARGE);
  const settle = (ledger: Ledger) => () => {
    let folded = ledger;
    for (let n = 0; n < 5_000; n += 1) folded = applyFact(folded, { t: 'settled', id: `request-${n}`, outcome: 'completed' });
    return folded;
  };
  const ratio = growthOf(settle(many), settle(few), 5);
  console.log(`5,000 facts with ${LARGE} in flight against ${SMALL}: ${ratio.toFixed(2)} times`);
  expect(ratio).toBeLessThan(5);
  expect(inFlightOf(many)).toHaveLength(LARGE);
});

type Case = [string, (of: typeof small) => unknown];
const cases: Case[] = [
  ['snapshot and restore', ({ ledger }) => restoreLedger(snapshotLedger(ledger))],
  ['handoff, everything kept', ({ ledger }) => buildHandoff(ledger, 'summary', unlimited).render()],
  ['handoff, head and tail', ({ ledger }) => buildHandoff(ledger, 'summary', tight).render()],
  ['instructions', ({ ledger }) => compactInstructions(ledger)],
  ['audit of a handoff', ({ ledger, handoff }) => auditRebuilt([{ role: 'user', content: handoff }], ledger)],
  [
    'projections',
    ({ transcript }) =>
      [projectCompleted, projectResumable, projectContinuation, projectVisible].map((project) => project(transcript)),
  ],
  ['objective', ({ transcript }) => objectiveContext(transcript)],
  [
    'commit',
    ({ transcript }) => commitDelta({ prior: transcript.slice(0, -4), hadHead: true, messages: transcript, isResumable: false }),
  ],
];
test.each(cases)('%s grows in step with what it reads', (name, work) => {
  const ratio = growthOf(
    () => work(large),
    () => work(small),
    LIMIT,
  );
  console.log(`${name}: ${ratio.toFixed(1)} times for ${LARGE / SMALL} times as much`);
  expect(ratio).toBeLessThan(LIMIT);
});

test('the handoff of 100,000 requests is in order', () => {
  expect(auditRebuilt([{ role: 'user', content: buildHandoff(large.ledger, '', tight).render() }], large.ledger)).toEqual([]);
});
