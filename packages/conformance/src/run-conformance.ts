import type { ConformanceCase } from './case.ts';
import { type CaseReport, runCase } from './report.ts';
import type { Subject } from './subject.ts';
import { conformanceCases } from './suite.ts';

/** What a program learns of a backend. */
export interface ConformanceReport {
  readonly runtime: string;
  readonly version: string;
  /** True when the whole suite was run, nothing failed, and no known limit has become untrue. */
  readonly conforms: boolean;
  /** Whether every case of the suite was run; of a part, `failures` says what is wrong with it. */
  readonly isWhole: boolean;
  readonly cases: readonly CaseReport[];
  /** The cases that failed, and those whose limit did not show. */
  readonly failures: readonly CaseReport[];
}

export interface RunOptions {
  /** The cases to run, as `casesFor` chooses them; all of them when absent. */
  readonly cases?: readonly ConformanceCase[];
  /** Called with each case when it has ended. */
  readonly onCase?: (report: CaseReport) => void;
  /** Once it is aborted, no further case is begun. */
  readonly signal?: AbortSignal;
}

/** Runs the suite against a backend, one case after the other, and tells what broke. Rejects never. */
export async function runConformance(
  subject: Subject,
  { cases = conformanceCases, onCase, signal }: RunOptions = {},
): Promise<ConformanceReport> {
  const reports: CaseReport[] = [];
  for (const one of cases) {
    if (signal?.aborted) break;
    const report = await runCase(subject, one);
    reports.push(report);
    onCase?.(report);
  }
  const failures = reports.filter(({ outcome }) => outcome === 'failed' || outcome === 'stale_limit');
  const ended = new Set(cases.slice(0, reports.length));
  const isWhole = conformanceCases.every((one) => ended.has(one));
  const conforms = isWhole && failures.length === 0;
  return { runtime: subject.runtime, version: subject.version, conforms, isWhole, cases: reports, failures };
}
