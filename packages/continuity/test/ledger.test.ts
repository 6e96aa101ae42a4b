import { isNativeCompactionError, type SessionRecord } from '@native-compaction/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyFact,
  applyFacts,
  emptyLedger,
  entriesOf,
  entryOf,
  factsFromRecord,
  inFlightOf,
  type Ledger,
  type LedgerFact,
  restoreLedger,
  snapshotLedger,
} from '../src/index.ts';
import { fact, facts, ledger } from './support/arbitraries.ts';

const accepted = (id: string, text = id): LedgerFact => ({ t: 'accepted', id, text });
const started = (id: string): LedgerFact => ({ t: 'started', id });
const settled = (id: string, outcome: 'completed' | 'failed' | 'aborted' | 'unconfirmed'): LedgerFact => ({
  t: 'settled',
  id,
  outcome,
});
const fold = (...list: LedgerFact[]) => applyFacts(emptyLedger, list);
const stateOf = (of: Ledger, id: string) => entryOf(of, id)?.state;

describe('the rules of the ledger', () => {
  test.each([
    ['completed', 'done'],
    ['aborted', 'abandoned'],
    ['failed', 'open'],
    ['unconfirmed', 'open'],
  ] as const)('settled %s is %s, and not in flight', (outcome, state) => {
    const before = fold(accepted('a'), started('a'));
    expect(inFlightOf(before).map(({ id }) => id)).toEqual(['a']);
    const after = applyFact(before, settled('a', outcome));
    expect(entryOf(after, 'a')).toMatchObject({ state, inFlight: false, outcome });
    expect(inFlightOf(after)).toEqual([]);
  });

  test('dropped is abandoned; accepted alone is open and not in flight', () => {
    expect(entryOf(fold(accepted('a')), 'a')).toMatchObject({ state: 'open', inFlight: false });
    expect(stateOf(fold(accepted('a'), { t: 'dropped', id: 'a' }), 'a')).toBe('abandoned');
  });

  test('replace supersedes what is open before it; done stays done, and later ones stay', () => {
    const list = [accepted('done'), started('done'), settled('done', 'completed'), accepted('open'), accepted('running')];
    const all = fold(...list, started('running'), accepted('new'), accepted('later'), {
      t: 'related',
      id: 'new',
      relation: 'replace',
    });
    expect(entriesOf(all).map(({ id, state }) => [id, state])).toEqual([
      ['done', 'done'],
      ['open', 'superseded'],
      ['running', 'superseded'],
      ['new', 'open'],
      ['later', 'open'],
    ]);
    expect(entryOf(all, 'running')).toMatchObject({ supersededBy: 'new', inFlight: false });
    expect(stateOf(applyFact(all, settled('running', 'completed')), 'running')).toBe('superseded');
  });

  test('refine and correct are linked to their target, or to the objective, which correct and replace move', () => {
    const list = [accepted('o'), accepted('r'), accepted('c'), accepted('s'), accepted('t')];
    const all = fold(
      ...list,
      { t: 'related', id: 'r', relation: 'refine' },
      { t: 'related', id: 'c', relation: 'correct' },
      { t: 'related', id: 's', relation: 'refine' },
      { t: 'related', id: 't', relation: 'refine', target: 'r' },
    );
    expect(['r', 'c', 's', 't'].map((id) => entryOf(all, id)?.refines)).toEqual(['o', 'o', 'c', 'r']);
    expect(entriesOf(all).every(({ state }) => state === 'open')).toBe(true);
  });

  test('a request is typed once, unknown excepted; nothing links to what is later, unknown or itself', () => {
    const twice = fold(
      accepted('a'),
      accepted('b'),
      { t: 'related', id: 'b', relation: 'unknown' },
      { t: 'related', id: 'b', relation: 'refine' },
      { t: 'related', id: 'b', relation: 'replace' },
    );
    expect(entryOf(twice, 'b')).toMatchObject({ relation: 'refine', refines: 'a' });
    for (const target of ['b', 'c', 'nobody'])
      expect(
        entryOf(fold(accepted('a'), accepted('b'), accepted('c'), { t: 'related', id: 'b', relation: 'refine', target }), 'b'),
      ).not.toHaveProperty('refines');
  });

  test('held again is open and not in flight, until it is begun anew', () => {
    const held = fold(accepted('a'), started('a'), { t: 'held', id: 'a' });
    expect(entryOf(held, 'a')).toMatchObject({ state: 'open', inFlight: false });
    expect(inFlightOf(held)).toEqual([]);
    expect(applyFact(held, { t: 'held', id: 'a' })).toBe(held);
    const again = applyFacts(held, [started('a'), settled('a', 'completed'), { t: 'held', id: 'a' }]);
    expect(entryOf(again, 'a')).toMatchObject({ state: 'done', inFlight: false });
  });

  test('an end that was not known may be told later, and no other', () => {
    const unknown = fold(accepted('a'), started('a'), settled('a', 'unconfirmed'));
    for (const [outcome, state] of [
      ['completed', 'done'],
      ['aborted', 'abandoned'],
      ['failed', 'open'],
    ] as const) {
      const told = applyFact(unknown, settled('a', outcome));
      expect(entryOf(told, 'a')).toMatchObject({ state, outcome, inFlight: false });
      for (const later of ['completed', 'aborted', 'failed', 'unconfirmed'] as const)
        expect(applyFact(told, settled('a', later))).toBe(told);
    }
    expect(applyFact(unknown, settled('a', 'unconfirmed'))).toBe(unknown);
    expect(applyFact(unknown, started('a'))).toBe(unknown);
  });

  test('an entry names the events that changed it', () => {
    const at = (position: number) => ({ source: 'log', position, kind: 'x' });
    const all = fold(
      { t: 'accepted', id: 'a', text: 'a', evidence: at(1) },
      { t: 'started', id: 'a', evidence: at(2) },
      { t: 'started', id: 'a', evidence: at(3) },
      { t: 'settled', id: 'a', outcome: 'completed', evidence: at(4) },
      { t: 'compacted', evidence: at(5) },
    );
    expect(entryOf(all, 'a')?.evidence.map(({ position }) => position)).toEqual([1, 2, 4]);
    expect(all).toMatchObject({ compactions: 1, lastCompaction: at(5) });
  });
});

describe('the records of a session', () => {
  const record = (seq: number, draft: object) => ({ log: 'log', seq, atMs: 0, ...draft }) as SessionRecord;
  const told = (...drafts: object[]) =>
    applyFacts(
      emptyLedger,
      drafts.flatMap((draft, n) => factsFromRecord(record(n + 1, draft))),
    );
  const taken = [
    { type: 'input_accepted', inputId: 'a', text: 'a' },
    { type: 'input_written', inputId: 'a' },
  ];

  test('what the native side did not take is not in flight until it is written again', () => {
    const held = told(...taken, { type: 'input_held', inputId: 'a' });
    expect(entryOf(held, 'a')).toMatchObject({ state: 'open', inFlight: false });
    const again = told(...taken, { type: 'input_held', inputId: 'a' }, { type: 'input_written', inputId: 'a' });
    expect(inFlightOf(again).map(({ id }) => id)).toEqual(['a']);
  });

  test('an input whose end was not known and whose turn then names it has that end', () => {
    const unknown = { type: 'input_ended', inputId: 'a', outcome: 'unconfirmed' };
    const turn = { type: 'turn_ended', outcome: 'completed', kind: 'prompt', inputIds: ['a'] };
    expect(entryOf(told(...taken, unknown, turn), 'a')).toMatchObject({ state: 'done', outcome: 'completed' });
    for (const other of [
      { ...turn, kind: 'compaction' },
      { ...turn, taskId: 'child' },
      { ...turn, inputIds: ['b'] },
    ])
      expect(entryOf(told(...taken, unknown, other), 'a')).toMatchObject({ state: 'open', outcome: 'unconfirmed' });
  });

  test('a turn of a child agent, or one that a child compacts in, changes no request', () => {
    for (const draft of [
      { type: 'turn_ended', outcome: 'completed', kind: 'prompt', taskId: 'child', inputIds: ['a'] },
      { type: 'turn_started', taskId: 'child', inputIds: ['a'] },
      { type: 'task_ended', taskId: 'child', outcome: 'completed' },
      { type: 'compaction_ended', origin: 'automatic', outcome: 'failed' },
      { type: 'idle' },
    ])
      expect(told(...taken, draft)).toEqual(told(...taken));
  });
});

describe('properties of the ledger', () => {
  test('prop-L1 deterministic, and a prefix and the rest replay as all', () => {
    fc.assert(
      fc.property(facts, facts, (a, b) => {
        const all = applyFacts(emptyLedger, [...a, ...b]);
        expect(snapshotLedger(applyFacts(applyFacts(emptyLedger, a), b))).toEqual(snapshotLedger(all));
        const restored = restoreLedger(JSON.parse(JSON.stringify(snapshotLedger(applyFacts(emptyLedger, a)))));
        expect(snapshotLedger(applyFacts(restored, b))).toEqual(snapshotLedger(all));
      }),
    );
  });

  test('prop-L1 a fold changes no ledger that it started from', () => {
    fc.assert(
      fc.property(ledger, facts, (before, more) => {
        const bytes = JSON.stringify(snapshotLedger(before));
        applyFacts(before, more);
        expect(JSON.stringify(snapshotLedger(before))).toBe(bytes);
      }),
    );
  });

  test('prop-L2 done, abandoned and superseded are final', () => {
    fc.assert(
      fc.property(ledger, fact, (before, next) => {
        const after = applyFact(before, next);
        for (const entry of entriesOf(before)) if (entry.state !== 'open') expect(stateOf(after, entry.id)).toBe(entry.state);
      }),
    );
  });

  test('prop-L3 in flight is at most what started and has not settled', () => {
    fc.assert(
      fc.property(facts, (list) => {
        const running = new Set<string>();
        const known = new Set<string>();
        const over = new Set<string>();
        for (const item of list) {
          if (item.t === 'accepted') known.add(item.id);
          if (item.t === 'started' && known.has(item.id) && !over.has(item.id)) running.add(item.id);
          if (item.t === 'settled' && known.has(item.id)) over.add(item.id);
          if (item.t === 'settled' || item.t === 'held') running.delete(item.id);
        }
        const all = applyFacts(emptyLedger, list);
        for (const { id } of inFlightOf(all)) expect(running.has(id)).toBe(true);
        expect(inFlightOf(all)).toEqual(entriesOf(all).filter(({ inFlight }) => inFlight));
      }),
    );
  });

  test('prop-L4 restore(snapshot) is identity; corrupt is a coded error', () => {
    fc.assert(
      fc.property(ledger, (before) => {
        const json = JSON.stringify(snapshotLedger(before));
        expect(JSON.stringify(snapshotLedger(restoreLedger(JSON.parse(json))))).toBe(json);
      }),
    );
    const good = snapshotLedger(fold(accepted('a'), started('a'), accepted('b'), { t: 'related', id: 'b', relation: 'refine' }));
    const [a, b] = good.entries;
    const broken: unknown[] = [
      undefined,
      JSON.stringify(good),
      { ...good, version: 2 },
      { ...good, extra: 1 },
      { ...good, objective: 'nobody' },
      { ...good, entries: [b, a] },
      { ...good, entries: [a, { ...b, id: 'a' }] },
      { ...good, entries: [a, { ...b, refines: 'nobody' }] },
      { ...good, entries: [{ ...a, state: 'done' }, b] },
      { ...good, entries: [{ ...a, state: 'superseded', inFlight: false }, b] },
      { ...good, entries: [{ ...a, inFlight: false, outcome: 'completed' }, b] },
      { ...good, entries: [{ ...a, text: 1 }, b] },
      { ...good, objective: 'b' },
      { ...good, entries: [{ ...a, refines: 'b', relation: 'refine' }, b] },
      { ...good, entries: [a, { ...b, relation: 'continue' }] },
      { ...good, entries: [a, { ...b, refines: 'b' }] },
      { ...good, entries: [{ ...a, state: 'superseded', inFlight: false, supersededBy: 'b' }, b] },
      { ...good, entries: [{ ...a, state: 'superseded', inFlight: false, supersededBy: 'a' }, b] },
      { ...good, entries: [{ ...a, state: 'done', inFlight: false, outcome: 'failed' }, b] },
      { ...good, entries: [{ ...a, state: 'done', inFlight: false }, b] },
      { ...good, entries: [{ ...a, state: 'abandoned', inFlight: false, outcome: 'completed' }, b] },
    ];
    for (const value of broken) {
      let thrown: unknown;
      try {
        restoreLedger(value);
      } catch (error) {
        thrown = error;
      }
      expect(isNativeCompactionError(thrown) && thrown.code, JSON.stringify(value)).toBe('corrupt_checkpoint');
    }
  });

  test('prop-L4 whatever is changed in a snapshot is refused, or is there after the restore', () => {
    const values = [undefined, null, -1, 0, 1.5, 2, '', 'r0', 'r9', true, [], {}, 'done', 'superseded', 'completed', 'replace'];
    fc.assert(
      fc.property(ledger, fc.nat(), fc.constantFrom(...values), fc.boolean(), (before, at, value, isTwice) => {
        const json = JSON.parse(JSON.stringify(snapshotLedger(before)));
        const places: [Record<string, unknown>, string][] = [];
        JSON.stringify(json, function (this: Record<string, unknown>, key, item) {
          if (key !== '') places.push([this, key]);
          return item;
        });
        for (const place of isTwice ? [at, at * 7] : [at]) {
          const [holder, key] = places[place % places.length] ?? [json, 'version'];
          if (value === undefined) delete holder[key];
          else holder[key] = value;
        }
        const bytes = JSON.stringify(json);
        try {
          const restored = restoreLedger(JSON.parse(bytes));
          expect(JSON.parse(JSON.stringify(snapshotLedger(restored)))).toEqual(JSON.parse(bytes));
          expect(inFlightOf(restored)).toEqual(entriesOf(restored).filter(({ inFlight }) => inFlight));
        } catch (error) {
          if (!isNativeCompactionError(error)) throw error;
          expect(error.code).toBe('corrupt_checkpoint');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
