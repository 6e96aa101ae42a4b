import { type ConformanceCase, conformanceCases, runConformance } from '@native-compaction/conformance';
import { describe, expect, test } from 'vitest';
import { heronSubject } from '../examples/heron/subject.ts';

const one = (run: ConformanceCase['run'], requirements = ['one-result']): ConformanceCase => ({
  title: 'a case',
  requirements,
  run,
});
const outcomeOf = async (each: ConformanceCase, limits: Record<string, string> = {}) =>
  (await runConformance({ ...heronSubject, limits }, { cases: [each] })).cases[0];

describe('what the suite says of a case', () => {
  test('passed, and failed with the promise that broke', async () => {
    expect(await outcomeOf(one(async (trial) => trial.holds('one-result', true, '')))).toMatchObject({ outcome: 'passed' });
    expect(await outcomeOf(one(async (trial) => trial.like('one-result', { a: 1 }, { a: 2 })))).toMatchObject({
      outcome: 'failed',
      broken: { promise: 'R1', requirement: 'one-result' },
      message: expect.stringContaining('{"a":1} is not like {"a":2}'),
    });
  });

  test('a known limit is no failure, and one that does not show is', async () => {
    const limits = { 'one-result': 'Heron cannot.' };
    const fails = one(async (trial) => trial.holds('one-result', false, 'no'));
    expect(await outcomeOf(fails, limits)).toMatchObject({ outcome: 'limit', message: 'Heron cannot.' });
    const holds = one(async (trial) => trial.holds('one-result', true, ''));
    expect(await outcomeOf(holds, limits)).toMatchObject({ outcome: 'stale_limit' });
    expect((await runConformance({ ...heronSubject, limits }, { cases: [holds] })).conforms).toBe(false);
  });

  test('only the whole suite says that a backend conforms', async () => {
    const well = one(async (trial) => trial.holds('one-result', true, ''));
    expect(await runConformance(heronSubject, { cases: [well] })).toMatchObject({
      conforms: false,
      isWhole: false,
      failures: [],
    });
    expect(await runConformance(heronSubject, { cases: [] })).toMatchObject({ conforms: false, isWhole: false });
  });

  test('a case that says nothing of what it names, or speaks of what it does not name, fails', async () => {
    expect(await outcomeOf(one(async () => undefined))).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('one-result'),
    });
    const other = one(async (trial) => {
      trial.holds('one-result', true, '');
      trial.holds('misuse', true, '');
    });
    expect(await outcomeOf(other)).toMatchObject({ outcome: 'failed', message: expect.stringContaining('misuse') });
  });

  test('what needs a process does not apply to a backend without one', async () => {
    const { command: _none, ...inProcess } = heronSubject;
    const cases = conformanceCases.filter(({ title }) => title.startsWith('SIGKILL'));
    const report = await runConformance(inProcess, { cases });
    expect(report.cases.map(({ outcome }) => outcome)).toEqual(cases.map(() => 'not_applicable'));
    expect(report.failures).toEqual([]);
  });
});
