import { conformanceCases, requirements, runConformance } from '@native-compaction/conformance';
import { afterEach, describe, expect, test } from 'vitest';
import { heronSubject } from '../examples/heron/subject.ts';
import { dishonest } from './support/dishonest.ts';

const { command = [''] } = heronSubject;
const launch = { executable: command[0], args: command.slice(1) };

afterEach(() => {
  delete process.env.HERON_WAS_HERE;
});

describe('an adapter that lies fails for what it lies about', () => {
  test.each(Object.entries(dishonest))('one that %s', async (_what, { breaks, create }) => {
    const cases = conformanceCases.filter((one) => one.requirements.includes(breaks));
    const createRuntime = ({ executable, ...options }: Parameters<typeof heronSubject.createRuntime>[0]) =>
      create(executable === undefined ? { ...launch, ...options } : { executable, ...options });
    const report = await runConformance({ ...heronSubject, createRuntime }, { cases });
    expect(report.conforms).toBe(false);
    const broken = report.failures.filter((failure) => failure.broken?.requirement === breaks);
    expect(broken.length, JSON.stringify(report.failures.map(({ message }) => message))).toBeGreaterThan(0);
    expect(broken[0]?.broken?.promise).toBe(requirements.find(({ id }) => id === breaks)?.promise);
    expect(broken[0]?.frames?.length).toBeGreaterThan(0);
  });
});
