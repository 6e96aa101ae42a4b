import { type CaseReport, type ConformanceReport, conformanceCases } from '@native-compaction/conformance';
import { describe, expect, test } from 'vitest';
import { type ConformanceRun, toConformanceLines } from '../src/render/conformance.ts';
import { toConformancePage } from '../src/render/conformance-page.ts';

const attack = '</pre><script>alert(1)</script>\u001b]0;owned\u0007';
const one = (title: string, more: Partial<CaseReport>): CaseReport => ({
  title,
  requirements: ['proof-found'],
  outcome: 'passed',
  durationMs: 1_500,
  ...more,
});
const failure = one('runs whole', {
  outcome: 'failed',
  broken: { promise: 'R8', requirement: 'proof-found' },
  message: `R8 proof-found (a compaction that ran whole is completed): ${attack} is not like that`,
  frames: [{ t: 12, pid: 1, dir: 'in', frame: { type: 'user', message: { content: attack } } }],
});
const stale = one('nothing to compact', { outcome: 'stale_limit', message: 'it holds, and the limit says: It cannot.' });
const cases = [
  one('first', {}),
  failure,
  stale,
  one('second', { outcome: 'limit', message: 'It cannot.' }),
  one('third', { outcome: 'not_applicable', message: 'No process.' }),
];

function runOf(reports: readonly CaseReport[], asked = reports.length, isWhole = reports.length === asked): ConformanceRun {
  const failures = reports.filter(({ outcome }) => outcome === 'failed' || outcome === 'stale_limit');
  const report: ConformanceReport = {
    runtime: 'claude',
    version: '9.9.9',
    conforms: failures.length === 0 && isWhole,
    isWhole,
    cases: reports,
    failures,
  };
  return { title: 'Claude Code', executable: '/bin/claude', isTested: false, asked, report };
}

describe('a run of the suite', () => {
  test('as text: a table, for each failure the promise, what was seen and the frames, and a verdict', () => {
    const lines = toConformanceLines(runOf(cases), undefined);
    expect(lines).toEqual([
      'Claude Code 9.9.9 at /bin/claude, against a model on 127.0.0.1',
      'This version is not one of those that the library was tested with.',
      '',
      'OUTCOME         PROMISES  TOOK  CASE',
      'passed          R8        1 s   first',
      'FAILED          R8        1 s   runs whole',
      'STALE LIMIT     R8        1 s   nothing to compact',
      'known limit     R8        1 s   second (It cannot.)',
      'not applicable  R8        1 s   third (No process.)',
      '',
      'FAILED: runs whole',
      '  promise  R8 proof-found: a compaction that ran whole is completed',
      '  seen     </pre><script>alert(1)</script> is not like that',
      '  the last frame',
      expect.stringMatching(/^ {4}0\.012 s ← user: <\/pre><script>alert\(1\)<\/script>/),
      '',
      'STALE LIMIT: nothing to compact',
      '  seen     it holds, and the limit says: It cannot.',
      '',
      '1 passed, 1 failed, 1 known limit, 1 stale limit, 1 not applicable. It does not conform.',
    ]);
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
  });

  test('that was stopped says how far it came, and does not call itself conforming', () => {
    expect(toConformanceLines(runOf(cases.slice(0, 1), 47), undefined).at(-1)).toBe('1 passed. Stopped after 1 of 47 cases.');
    expect(toConformancePage(runOf(cases.slice(0, 1), 47))).toMatch(
      /<h1 class="[^"]*">Claude Code 9\.9\.9 was not looked at whole</,
    );
    expect(toConformanceLines(runOf([], 47), undefined).at(-1)).toBe('nothing was run. Stopped after 0 of 47 cases.');
  });

  test('that was a part of the suite does not say that the agent conforms', () => {
    const part = runOf(cases.slice(0, 1), 1, false);
    expect(toConformanceLines(part, undefined).at(-1)).toBe(
      `1 passed. These are 1 of ${conformanceCases.length} cases, and a part does not say that it conforms.`,
    );
    expect(toConformancePage(part)).toMatch(/<h1 class="">Claude Code 9\.9\.9 was not looked at whole</);
  });

  test('as a page: the same, and nothing of the agent becomes a part of it', () => {
    const page = toConformancePage(runOf(cases));
    expect(page).toMatch(/<h1 class="failed">Claude Code 9\.9\.9 does not conform</);
    expect(page).toContain('R8 proof-found: a compaction that ran whole is completed');
    expect(page).toContain('none broke: a known limit did not show');
    expect(page).not.toMatch(/<script/i);
    expect(page).toContain('\\u001b]0;owned');
    expect(page.match(/<details>/g)).toHaveLength(1);
    expect(toConformancePage(runOf(cases.slice(0, 1)))).toMatch(/<h1 class="passed">Claude Code 9\.9\.9 conforms</);
  });
});
