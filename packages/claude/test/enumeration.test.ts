import { brokenPromise, disturbances, enumerate } from '@native-compaction/conformance';
import { describe, expect, test } from 'vitest';
import { apply, type Event, happenings, idle, proofs as links, type Model, provenBy } from './support/model.ts';

const all: readonly Event[] = Object.values(happenings);
const {
  compact,
  answerRead,
  started,
  compacting,
  success,
  failed,
  init,
  boundary,
  commandFailed,
  result,
  queued,
  lifeCancelled,
  abort,
} = happenings;
const proofs: Record<string, readonly Event[]> = {
  completed: [queued, started, compacting, success, init, boundary, result],
  failed: [queued, started, compacting, failed, init, result],
  empty: [queued, started, init, commandFailed, result],
  aborted: [queued, abort, lifeCancelled],
};

function check(before: Model, event: Event, after: Model): string | undefined {
  const { outcome } = after;
  if (outcome !== before.outcome && outcome) {
    if (outcome.status === 'aborted' && after.links.started) return 'aborted after the start';
    if (outcome.status === 'rejected' && outcome.reason === 'native_refused' && event !== happenings.refused)
      return 'refused by nobody';
  }
  return brokenPromise(before, after, links, provenBy);
}

const model = { events: all, apply, check };
const name = (event: Event) => event.name;
const after = (...events: Event[]) => events.reduce(apply, idle);

/** Runs one sequence and checks every step. */
function run(start: Model, sequence: readonly Event[]): Model {
  return sequence.reduce((state, event) => {
    const next = apply(state, event);
    const broken = check(state, event, next);
    if (broken) throw new Error(`${broken}: ${sequence.map(name).join(' → ')}`);
    return next;
  }, start);
}

describe('enumeration of the machine with loop and slot', () => {
  test('the proofs themselves give their outcomes', () => {
    const dispatched = after(compact, answerRead);
    expect(dispatched.slot.phase).toBe('dispatched');
    expect(run(dispatched, proofs.completed ?? []).outcome?.status).toBe('completed');
    expect(run(dispatched, proofs.failed ?? []).outcome).toMatchObject({ status: 'failed', hint: 'provider_error' });
    expect(run(dispatched, proofs.empty ?? []).outcome).toMatchObject({ status: 'failed', hint: 'nothing_to_compact' });
    expect(run(dispatched, proofs.aborted ?? []).outcome).toMatchObject({ status: 'aborted', by: 'caller' });
  });

  test('every sequence of 5 events from an idle session, and of 4 from the reservation and from the dispatch', {
    timeout: 600_000,
  }, () => {
    report('from idle', [enumerate(model, idle, 5, name)]);
    report('from reservation and dispatch', [
      enumerate(model, after(compact), 4, name),
      enumerate(model, after(compact, answerRead), 4, name),
    ]);
  });

  test('R8 the proof is found among any two events that have nothing to do with it', () => {
    const { status, initForeign, initBare, boundaryAuto, resultStale, resultAutonomous, startedStale, send } = happenings;
    const unrelated = [
      queued,
      status,
      initForeign,
      initBare,
      boundaryAuto,
      resultStale,
      resultAutonomous,
      startedStale,
      send,
      answerRead,
      compact,
    ];
    const proof = proofs.completed ?? [];
    const dispatched = after(compact, answerRead);
    let count = 0;
    for (const sequence of disturbances(proof, unrelated, 2)) {
      const kept = sequence.filter((event) => proof.includes(event) && event !== queued);
      if (sequence.lastIndexOf(compact) > sequence.indexOf(result)) continue; // that one is the next request
      if (kept.length !== proof.length - 1 || kept.some((event, at) => event !== proof[at + 1])) continue;
      expect(run(dispatched, sequence).outcome?.status, sequence.map(name).join(' → ')).toBe('completed');
      count += 1;
    }
    expect(count).toBeGreaterThan(4_000);
  });

  test.each(['completed', 'failed', 'empty'])(
    'every sequence of 3 events after every prefix of the proof of %s',
    { timeout: 300_000 },
    (outcome) => {
      const proof = proofs[outcome] ?? [];
      const counts = proof.map((_event, length) =>
        enumerate(model, run(after(compact, answerRead), proof.slice(0, length)), 3, name),
      );
      report(`after prefixes of ${outcome}`, counts);
    },
  );

  test.each(Object.keys(proofs))(
    'the proof of %s with two insertions anywhere, each deletion, repetition and swap',
    { timeout: 300_000 },
    (outcome) => {
      const dispatched = after(compact, answerRead);
      let count = 0;
      for (const sequence of disturbances(proofs[outcome] ?? [], all, 2)) {
        run(dispatched, sequence);
        count += 1;
      }
      tell(`disturbances of ${outcome}: ${count} sequences`);
      expect(count).toBeGreaterThan(10_000);
    },
  );
});

/** The figures, for those who ask with REPORT=1. */
function tell(line: string) {
  if (process.env.REPORT) console.log(line);
}

function report(what: string, counts: readonly { sequences: number; steps: number }[]) {
  const total = counts.reduce(
    (sum, { sequences, steps }) => ({ sequences: sum.sequences + sequences, steps: sum.steps + steps }),
    { sequences: 0, steps: 0 },
  );
  tell(`${what}: ${total.sequences} sequences, ${total.steps} steps`);
  expect(total.sequences).toBeGreaterThan(0);
}
