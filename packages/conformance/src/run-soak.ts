import { createRandom, type FaultKind } from './faults/plan.ts';
import { growthOf, type Holdings, takeStock } from './leaks.ts';
import { type SoakedSession, soakSession } from './soak-session.ts';
import type { Subject } from './subject.ts';

export interface SoakOptions {
  /** Ends after so many compactions, the same share by every subject … */
  readonly compactions: number;
  /** … or after so long, whichever comes first. */
  readonly durationMs?: number;
  /** One number reproduces what is done, though not when. */
  readonly seed: number;
}

/** How many results of each status there were, by something else. */
type StatusTable = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What a soak has seen. */
export interface SoakReport {
  readonly sessions: number;
  readonly compactions: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** The same for each runtime. */
  readonly byRuntime: StatusTable;
  /** The same for what was done to it: nothing, an abort, a deadline of no time, the kind of the fault that may cost the proof. */
  readonly byDisturbance: StatusTable;
  /** How many of a hundred had no native end that could be attributed; deadlines of our own and lost frames are among them. */
  readonly unconfirmedPercent: number;
  /** The faults that met a frame. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly inputs: Readonly<Record<string, number>>;
  readonly falsehoods: readonly string[];
  readonly processesLeft: number;
  /** What this process holds after it and did not before. */
  readonly growth: Holdings;
}

const ROUNDS = 6;

/** Compacts real sessions under random trouble, every subject beside the others, and tells what was lost, false or left. */
export async function runSoak(subjects: readonly Subject[], { compactions, durationMs, seed }: SoakOptions): Promise<SoakReport> {
  const random = createRandom(seed);
  // What is loaded once is not a leak.
  await Promise.all(subjects.map((subject) => soakSession(subject, 2, random)));
  const before = await takeStock();
  const start = performance.now();
  const all: (SoakedSession & { readonly runtime: string })[] = [];
  const isOver = () => durationMs !== undefined && performance.now() - start > durationMs;
  await Promise.all(
    subjects.map(async (subject) => {
      // The same share each, or the quickest would do nearly all.
      let left = Math.ceil(compactions / subjects.length);
      while (left > 0 && !isOver()) {
        const rounds = Math.min(ROUNDS, left);
        left -= rounds;
        all.push({ ...(await soakSession(subject, rounds, random)), runtime: subject.runtime });
      }
    }),
  );
  const results = all.flatMap(({ results: each, runtime }) => each.map((result) => ({ ...result, runtime })));
  const byStatus = counted(results.map(({ status }) => status));
  return {
    sessions: all.length,
    compactions: results.length,
    byStatus,
    byRuntime: tableOf(Object.groupBy(results, ({ runtime }) => runtime)),
    byDisturbance: tableOf(Object.groupBy(results, ({ disturbance }) => disturbance)),
    unconfirmedPercent: Math.round((1_000 * (byStatus.unconfirmed ?? 0)) / Math.max(1, results.length)) / 10,
    faults: counted(all.flatMap(({ faults }) => faults.map(({ kind }) => kind))),
    inputs: counted(all.flatMap(({ inputs }) => inputs)),
    falsehoods: all.flatMap(({ falsehoods }) => falsehoods),
    processesLeft: all.filter(({ hasProcessLeft }) => hasProcessLeft).length,
    growth: growthOf(before, await takeStock()),
  };
}

function tableOf(groups: Partial<Record<string, readonly { readonly status: string }[]>>): StatusTable {
  return Object.fromEntries(Object.entries(groups).map(([name, its = []]) => [name, counted(its.map(({ status }) => status))]));
}

function counted(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
