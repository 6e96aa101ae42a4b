import type { ConformanceCase } from '../case.ts';
import { needsProcess } from '../case.ts';
import { type FaultKind, harmfulKinds, harmlessKinds, planFaults } from '../faults/plan.ts';
import { falsehoodOf, truthOf } from '../judge.ts';

/** How long a disturbed compaction may stay open before its session is given up. */
const PATIENCE_MS = 700;

/** Every fault that leaves the proof whole, in turn, and then all of them at once. */
export const harmless = (seed: number): ConformanceCase => ({
  title: `faults that leave the proof whole change no result, seed ${seed}`,
  requirements: ['intact-proof', 'agrees-with-disk'],
  exempts: needsProcess,
  async run(trial) {
    const single = harmlessKinds.flatMap((kind) => planFaults(seed, { kinds: [kind], rounds: 1, faults: 8, frames: 12 }));
    const mixed = planFaults(seed, { kinds: harmlessKinds, rounds: 3, faults: 24, frames: 14 });
    const rounds = [...single, ...mixed];
    const { session } = await trial.openProxied(rounds);
    const before = trial.replacements(session);
    for (const [at] of rounds.entries()) {
      if (at > 0) await trial.subject.seed(session);
      const result = await session.compact({ timeoutMs: 10_000 });
      const what = at < harmlessKinds.length ? harmlessKinds[at] : 'all of them';
      trial.holds('intact-proof', result.status === 'completed', `${result.status} under ${what}`);
    }
    await session.dispose();
    trial.like('agrees-with-disk', trial.replacements(session) - before, rounds.length);
  },
});

/** One fault of a kind at one frame, where it may cost the proof. */
export const harmful = (kind: FaultKind, seed: number): ConformanceCase => ({
  title: `${kind} of a frame may cost the proof, and never the truth, seed ${seed}`,
  requirements: ['settled-once', 'agrees-with-disk', 'agrees-with-provider'],
  exempts: needsProcess,
  async run(trial) {
    const rounds = planFaults(seed, { kinds: [kind], rounds: 1, faults: 1, frames: 9 });
    const { session } = await trial.openProxied(rounds);
    const before = truthOf(trial, session);
    const ends: string[] = [];
    session.on('record', (item) => {
      if (item.type === 'compaction_ended' && item.requestId === 'disturbed') ends.push(item.outcome);
    });
    const result = await session.compact({ timeoutMs: PATIENCE_MS, requestId: 'disturbed' });
    await session.dispose();
    const falsehood = falsehoodOf(result, before, truthOf(trial, session));
    trial.holds('agrees-with-disk', falsehood === undefined, falsehood ?? '');
    trial.holds('agrees-with-provider', trial.summaries() - before.asked <= 1, 'the provider was asked again');
    trial.holds('settled-once', ends.length <= 1, `${ends.length} ends were told`);
  },
});

export const faultCases: readonly ConformanceCase[] = [
  harmless(1),
  // An oversize line has a case of its own, and to end the vendor behind each frame too.
  ...harmfulKinds.flatMap((kind) => (kind === 'oversize' || kind === 'kill' ? [] : [harmful(kind, 1)])),
];
