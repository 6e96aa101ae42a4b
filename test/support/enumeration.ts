import {
  brokenPromise,
  disturbances,
  type Enumerated,
  enumerate,
  type Happening,
  insertions,
  type LoopModel,
  runSequence,
} from '@native-compaction/conformance';
import type { RejectReason } from '@native-compaction/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

/** The seed of the random sequences, and how many there are; SEED and RUNS stand in for them. */
const seed = Number(process.env.SEED ?? 20_261);
const numRuns = Number(process.env.RUNS ?? 3_000);
/** The length of every sequence from an idle session; the others are shorter by as much. A smaller DEPTH is for a quick look. */
const depth = Number(process.env.DEPTH ?? 5);

type Links = Readonly<Record<string, readonly string[]>>;

interface Proof<E> {
  readonly sequence: readonly E[];
  /** What the result must hold. */
  readonly gives: object;
}

/** A backend's machine inside the model of the loop: its events, its proofs, and what must hold for it beside the contract. */
export interface EnumerationSubject<In, S> {
  readonly model: { readonly idle: LoopModel<S>; apply(model: LoopModel<S>, event: Happening<In, S>): LoopModel<S> };
  readonly events: Readonly<Record<string, Happening<In, S>>>;
  /** From an idle session to the command on the wire: the request, and the answer that admits it. */
  readonly dispatch: readonly Happening<In, S>[];
  /** Full proofs, from the dispatch on. */
  readonly proofs: Readonly<Record<string, Proof<Happening<In, S>>>>;
  /** Other sequences and what they give; an empty object is no result at all. */
  readonly others: readonly Proof<Happening<In, S>>[];
  /** From an idle session on: what the gate says. */
  readonly refusals: readonly (readonly [RejectReason, ...Happening<In, S>[]])[];
  /** The links of each proof, for the oracle of the model. */
  readonly links: Links;
  readonly provenBy: Readonly<Record<'completed' | 'failed' | 'aborted', readonly string[]>>;
  /** Events that have nothing to do with the proofs that are named here: among them those are still found (R8). */
  readonly unrelated: { readonly events: readonly Happening<In, S>[]; readonly proofs: readonly string[] };
  /** The name of a promise of this backend that is broken, if any. */
  check(before: LoopModel<S>, event: Happening<In, S>, after: LoopModel<S>): string | undefined;
}

/** Every sequence to length 5, every disturbance of every proof, and long random sequences; figures with REPORT=1. */
export function describeEnumeration<In, S>(backend: string, subject: EnumerationSubject<In, S>): void {
  type Model = LoopModel<S>;
  type Event = Happening<In, S>;
  const { links, provenBy } = subject;
  const { idle, apply } = subject.model;
  const events: readonly Event[] = Object.values(subject.events);
  const admits = subject.dispatch.at(-1);
  const check = (before: Model, event: Event, after: Model) => {
    if (before.slot.phase !== 'dispatched' && after.slot.phase === 'dispatched' && event !== admits)
      return 'G4 dispatched without a fresh answer that admits it';
    return subject.check(before, event, after) ?? brokenPromise(before, after, links, provenBy);
  };
  const model = { events, apply, check };
  const name = (event: Event) => event.name;
  const run = (start: Model, sequence: readonly Event[]) => runSequence(model, start, sequence, name);
  const tell = (what: string, ...counts: readonly Enumerated[]) => {
    const sum = (of: keyof Enumerated) => counts.reduce((total, count) => total + count[of], 0);
    if (process.env.REPORT) console.log(`${backend}: ${what}: ${sum('sequences')} sequences in ${sum('steps')} steps`);
    expect(sum('sequences')).toBeGreaterThan(0);
  };
  const reserved = run(idle, subject.dispatch.slice(0, 1));
  const dispatched = run(idle, subject.dispatch);
  const names = Object.keys(subject.proofs);
  const proofOf = (what: string) => subject.proofs[what]?.sequence ?? [];

  describe(`enumeration of the ${backend} machine with loop and slot`, () => {
    test('each proof gives its outcome, and what is none gives none', () => {
      expect([reserved.slot.phase, dispatched.slot.phase]).toEqual(['reserved', 'dispatched']);
      for (const { sequence, gives } of [...Object.values(subject.proofs), ...subject.others]) {
        const { outcome = {} } = run(dispatched, sequence);
        const isNone = Object.keys(gives).length === 0;
        expect(outcome, sequence.map(name).join(' → ')).toEqual(isNone ? {} : expect.objectContaining(gives));
      }
    });

    const refusals = subject.refusals.map(([reason, ...sequence]) => ({ reason, sequence, what: sequence.map(name).join(', ') }));
    test.each(refusals)('the gate says $reason to $what', ({ reason, sequence }) => {
      expect(run(idle, sequence).outcome, sequence.map(name).join(' → ')).toMatchObject({ status: 'rejected', reason });
    });

    test('every sequence of 5 events from an idle session, and of 4 from the reservation and the dispatch', long, () => {
      tell(`${depth} events from idle`, enumerate(model, idle, depth, name));
      tell(`${depth - 1} events from reservation`, enumerate(model, reserved, depth - 1, name));
      tell(`${depth - 1} events from dispatch`, enumerate(model, dispatched, depth - 1, name));
    });

    test.each(names)('every 3 events after every prefix of %s', long, (what) => {
      const proof = proofOf(what);
      const prefixes = proof.map((_event, length) => proof.slice(0, length));
      tell(
        `${depth - 2} events after ${what}`,
        ...prefixes.map((prefix) => enumerate(model, run(dispatched, prefix), depth - 2, name)),
      );
    });

    test.each(names)('%s with every three insertions anywhere', long, (what) => {
      const counts = insertions(model, dispatched, proofOf(what), depth - 2, name);
      tell(`${depth - 2} insertions in ${what}`, counts);
      expect(counts.sequences).toBeGreaterThan(depth < 5 ? events.length : 100_000);
    });

    test.each(names)('%s with each deletion, repetition and swap', (what) => {
      let sequences = 0;
      for (const sequence of disturbances(proofOf(what))) {
        run(dispatched, sequence);
        sequences += 1;
      }
      tell(`deletions, repetitions and swaps of ${what}`, { sequences, steps: 0 });
    });

    test.each(subject.unrelated.proofs)('R8 %s is found among any three events that have nothing to do with it', (what) => {
      const proof = proofOf(what);
      const last = proof.at(-1) as Event;
      const gives = subject.proofs[what]?.gives as { status: string };
      const atEnd = (end: Model) => {
        const { outcome } = apply(end, last);
        return outcome?.status === gives.status ? undefined : `R8 ${outcome?.status} instead of ${gives.status}`;
      };
      const quiet = { ...model, events: subject.unrelated.events };
      tell(`${depth - 2} unrelated events in ${what}`, insertions(quiet, dispatched, proof.slice(0, -1), depth - 2, name, atEnd));
    });

    test('random sequences of up to 40 events', long, () => {
      const one = fc.constantFrom(...events).map((event) => [event]);
      const pieces = [subject.dispatch, ...names.map(proofOf)];
      const piece = fc.constantFrom(...pieces).chain((events) => fc.subarray([...events], { minLength: 1 }));
      const sequence = fc
        .array(fc.oneof({ weight: 3, arbitrary: one }, { weight: 2, arbitrary: piece }), { minLength: 5, maxLength: 40 })
        .map((parts) => parts.flat().slice(0, 40));
      let steps = 0;
      const holds = fc.property(sequence, (sequence) => {
        run(idle, [...subject.dispatch, ...sequence]);
        steps += sequence.length;
      });
      fc.assert(holds, { seed, numRuns });
      tell(`random sequences with seed ${seed}`, { sequences: numRuns, steps });
    });
  });
}

const long = { timeout: 600_000 };
