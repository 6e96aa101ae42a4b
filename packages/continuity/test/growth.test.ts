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
/** Linear work on ten times as much costs ten times as much; a quadratic one would cost a hundred times. */
const LIMIT = 60;

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

const small = { ledger: sessionOf(SMALL), transcript: transcriptOf(SMALL / 4) };
const large = { ledger: sessionOf(LARGE), transcript: transcriptOf(LARGE / 4) };
const unlimited = { totalTokens: 1e9, headTokens: 1e3, inFlightTokens: 1e4, estimate: estimateTokens };
const tight = { totalTokens: 20_000, headTokens: 2_000, inFlightTokens: 1e4, estimate: estimateTokens };

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
  more(small.ledger)();
  const [before, after] = [cost(more(small.ledger), 3), cost(more(large.ledger), 3)];
  console.log(`15,000 facts on ${LARGE} requests against ${SMALL}: ${(after / before).toFixed(2)} times`);
  expect(after / before).toBeLessThan(5);
  expect(inFlightOf(large.ledger)).toHaveLength(1);
});

type Case = [string, (of: typeof small) => unknown];
const cases: Case[] = [
  ['snapshot and restore', ({ ledger }) => restoreLedger(snapshotLedger(ledger))],
  ['handoff, everything kept', ({ ledger }) => buildHandoff(ledger, 'summary', unlimited).render()],
  ['handoff, head and tail', ({ ledger }) => buildHandoff(ledger, 'summary', tight).render()],
  ['instructions', ({ ledger }) => compactInstructions(ledger)],
  [
    'audit of a handoff',
    ({ ledger }) => auditRebuilt([{ role: 'user', content: buildHandoff(ledger, '', unlimited).render() }], ledger),
  ],
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
  work(small);
  const ratio = cost(() => work(large)) / cost(() => work(small), 3);
  console.log(`${name}: ${ratio.toFixed(1)} times for ${LARGE / SMALL} times as much`);
  expect(ratio).toBeLessThan(LIMIT);
});

test('the handoff of 100,000 requests is in order', () => {
  expect(auditRebuilt([{ role: 'user', content: buildHandoff(large.ledger, '', tight).render() }], large.ledger)).toEqual([]);
});
