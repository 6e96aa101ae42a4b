import type { Capture, Mark } from '../capture.ts';
import { toOriginPairs } from './origin.ts';
import { toFactLine, toPlain, toWidth, toWrapped } from './plain.ts';
import { toResultLines } from './result.ts';

const signs = { in: '←', out: '→', end: '■', record: '·', result: '=', afterwards: '=' } as const;

/** An evidence file as lines for a terminal; `*` stands before what the result rests on. */
export function toReportLines(capture: Capture, columns: number | undefined): string[] {
  const { marks, result, prompt, afterwards, isProven, faults } = capture;
  const [headline = '', ...facts] = result
    ? toResultLines(result, { prompt, afterwards }, columns)
    : ['no result in this file: frames only'];
  return [
    isProven ? headline : `${headline}, which this file does not prove`,
    ...toOriginPairs(capture).map(([label, value]) => toFactLine(label, toPlain(value))),
    ...facts,
    ...faults.flatMap((fault) => toWrapped(fault, columns)),
    '',
    ...marks.map((mark) => toWidth(toLine(mark), columns)),
  ];
}

function toLine({ atMs, lane, kind, label, isProof, proves }: Mark): string {
  const seconds = `${(atMs / 1_000).toFixed(3)} s`.padStart(11);
  return `${isProof ? '*' : ' '}${seconds}  ${lane.padEnd(7)} ${signs[kind]} ${toPlain(label)}${proves === undefined ? '' : `  (${proves})`}`;
}
