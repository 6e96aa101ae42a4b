import {
  type CaseOutcome,
  type CaseReport,
  type ConformanceReport,
  conformanceCases,
  promisesOf,
  requirements,
} from '@native-compaction/conformance';
import { labelOf } from '../labels.ts';
import { toDuration } from './duration.ts';
import { toPlain, toTable, toWidth } from './plain.ts';

/** A run of the suite, with what stands beside its report. */
export interface ConformanceRun {
  readonly title: string;
  readonly executable: string;
  readonly isTested: boolean;
  /** How many cases were to be run; fewer were where the run was stopped. */
  readonly asked: number;
  readonly report: ConformanceReport;
}

export const outcomeWords: Readonly<Record<CaseOutcome, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  limit: 'known limit',
  stale_limit: 'STALE LIMIT',
  not_applicable: 'not applicable',
};

const signs = { in: '←', out: '→', end: '■' } as const;
/** How much of a frame stands in a line where no terminal cuts it; a page and `--json` have it whole. */
const FRAME_COLUMNS = 240;

/** What `conformance` says: a table, and what shows it for each case that failed. */
export function toConformanceLines(run: ConformanceRun, columns: number | undefined): string[] {
  const { cases, failures } = run.report;
  const rows = cases.map((one) => [
    outcomeWords[one.outcome],
    promisesOf(one).join(' '),
    toDuration(one.durationMs),
    toCase(one),
  ]);
  const [head = '', ...table] = toTable([['OUTCOME', 'PROMISES', 'TOOK', 'CASE'], ...rows], columns);
  return [
    ...toHeadline(run),
    '',
    head,
    ...table,
    ...failures.flatMap((failure) => toFailure(failure, columns)),
    '',
    toVerdict(run),
  ];
}

/** Its title, with the reason where it is a known limit or says nothing about this agent. */
function toCase({ outcome, title, message }: CaseReport): string {
  const hasReason = outcome === 'limit' || outcome === 'not_applicable';
  return hasReason && message !== undefined ? `${title} (${toPlain(message)})` : title;
}

export function toHeadline({ title, executable, isTested, report }: ConformanceRun): string[] {
  const note = isTested ? [] : ['This version is not one of those that the library was tested with.'];
  return [`${title} ${report.version} at ${executable}, against a model on 127.0.0.1`, ...note];
}

/** How many went how, and whether it conforms. */
export function toVerdict({ report, asked }: ConformanceRun): string {
  const { cases, failures, isWhole } = report;
  const counts = (Object.keys(outcomeWords) as CaseOutcome[]).flatMap((outcome) => {
    const count = cases.filter((one) => one.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcomeWords[outcome].toLowerCase()}`];
  });
  const part = `These are ${cases.length} of ${conformanceCases.length} cases, and a part does not say that it conforms.`;
  const verdict = failures.length > 0 ? 'It does not conform.' : isWhole ? 'It conforms.' : part;
  return `${counts.join(', ') || 'nothing was run'}. ${cases.length < asked ? `Stopped after ${cases.length} of ${asked} cases.` : verdict}`;
}

/** What was promised, by the requirement that broke, and what was seen in its place. */
export function toFindings({ broken, message = '' }: CaseReport): { readonly promise?: string; readonly seen: string } {
  if (!broken) return { seen: message };
  const { promise, requirement } = broken;
  const observed = requirements.find(({ id }) => id === requirement)?.observed;
  return {
    promise: `${promise} ${requirement}: ${observed}`,
    seen: message.replace(`${promise} ${requirement} (${observed}): `, ''),
  };
}

function toFailure(failure: CaseReport, columns: number | undefined): string[] {
  const { title, frames = [] } = failure;
  const { promise, seen } = toFindings(failure);
  return [
    '',
    `${outcomeWords[failure.outcome]}: ${title}`,
    ...(promise === undefined ? [] : [`  promise  ${promise}`]),
    `  seen     ${toPlain(seen)}`,
    ...(frames.length === 0 ? [] : [`  the last ${frames.length === 1 ? 'frame' : `${frames.length} frames`}`]),
    ...frames.map(({ t, dir, frame }) => {
      const text = `${(t / 1_000).toFixed(3).padStart(8)} s ${signs[dir]} ${labelOf(dir, frame)}  ${JSON.stringify(frame)}`;
      return toWidth(`    ${toPlain(text)}`, columns ?? FRAME_COLUMNS);
    }),
  ];
}
