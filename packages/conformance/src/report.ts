import type { TapLine } from '@native-compaction/transport';
import type { ConformanceCase } from './case.ts';
import { requirementOf } from './requirements.ts';
import type { Subject } from './subject.ts';
import { openTrial } from './trial.ts';
import { Violation } from './violation.ts';

/**
 * How a case went. `limit`: it failed by what this vendor is known not to do. `stale_limit`: that limit did not show, which is
 * an error too. `not_applicable`: it says nothing about this backend.
 */
export type CaseOutcome = 'passed' | 'failed' | 'limit' | 'stale_limit' | 'not_applicable';

export interface CaseReport {
  readonly title: string;
  readonly requirements: readonly string[];
  readonly outcome: CaseOutcome;
  readonly durationMs: number;
  /** The promise and the requirement that broke, where it failed. */
  readonly broken?: { readonly promise: string; readonly requirement: string };
  /** What was seen instead, or why it does not apply. */
  readonly message?: string;
  /** The last frames that passed, redacted, where it failed. */
  readonly frames?: readonly TapLine[];
}

const FRAMES_SHOWN = 30;
/** How long a case may take before it counts as one that hangs. */
const CASE_TIMEOUT_MS = 50_000;

/** What of a case this backend is known not to keep, with the reason. */
function limitsOf(subject: Subject, { requirements }: ConformanceCase): ReadonlyMap<string, string> {
  return new Map(
    requirements.flatMap((id) => {
      const reason = requirementOf(id).limits?.[subject.runtime] ?? subject.limits?.[id];
      return reason === undefined ? [] : [[id, reason] as const];
    }),
  );
}

/** Runs one case against a backend; never rejects. */
export async function runCase(subject: Subject, one: ConformanceCase): Promise<CaseReport> {
  const { title, requirements } = one;
  const start = performance.now();
  const report = (outcome: CaseOutcome, more: Partial<CaseReport> = {}): CaseReport => ({
    title,
    requirements,
    outcome,
    durationMs: Math.round(performance.now() - start),
    ...more,
  });
  const why = one.exempts?.(subject);
  if (why !== undefined) return report('not_applicable', { message: why });
  const limits = limitsOf(subject, one);
  const lines: TapLine[] = [];
  try {
    await runOnce(subject, one, lines);
  } catch (error) {
    const broken = error instanceof Violation ? error.requirement : requirementOf(requirements[0] ?? '');
    const message = error instanceof Error ? error.message : String(error);
    const limit = error instanceof Violation ? limits.get(broken.id) : undefined;
    if (limit !== undefined) return report('limit', { message: limit });
    const facts = { promise: broken.promise, requirement: broken.id };
    return report('failed', { broken: facts, message, frames: lines.slice(-FRAMES_SHOWN) });
  }
  const stale = [...limits][0];
  return stale ? report('stale_limit', { message: `${stale[0]} holds, and the limit says: ${stale[1]}` }) : report('passed');
}

async function runOnce(subject: Subject, one: ConformanceCase, lines: TapLine[]): Promise<void> {
  const trial = await openTrial(subject, { automatic: one.automatic === true });
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`The case did not end within ${CASE_TIMEOUT_MS} ms.`)),
    CASE_TIMEOUT_MS,
  );
  try {
    await Promise.race([one.run(trial), timeout.promise]);
    const unseen = one.requirements.filter((id) => !trial.seen.has(id));
    if (unseen.length > 0) throw new Error(`The case says nothing about ${unseen.join(', ')}.`);
    const undeclared = [...trial.seen].filter((id) => !one.requirements.includes(id));
    if (undeclared.length > 0) throw new Error(`The case does not declare ${undeclared.join(', ')}.`);
  } finally {
    clearTimeout(timer);
    lines.push(...trial.lines);
    await trial.close();
  }
}
