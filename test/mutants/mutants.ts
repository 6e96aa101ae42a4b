import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';

/** A fault that we put into one source file, and the test that must find it. */
export interface Mutant {
  /** The promise that the fault breaks. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The test file and the name of the test in it. */
  readonly in: string;
  readonly test: string;
}

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { readonly title: string; readonly status: string }[] }[];
}

/** Runs the named test against each mutant: one that passes, or that never ran, is a test that protects nothing. */
export function describeMutants(mutants: readonly Mutant[]): void {
  test.each(mutants)('$name is caught', { timeout: 120_000 }, async (mutant) => {
    const places = readFileSync(mutant.file, 'utf8').split(mutant.find).length - 1;
    expect(places, `"${mutant.find}" must stand in ${mutant.file} exactly once`).toBe(1);
    const ran = await runNamed(mutant);
    expect(ran, `"${mutant.test}" of ${mutant.in} must run, alone`).toHaveLength(1);
    expect(ran[0], `"${mutant.test}" passes although ${mutant.name}`).toBe('failed');
  });
}

async function runNamed({ in: file, test: title, ...mutant }: Mutant): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'native-compaction-mutant-'));
  const outputFile = join(folder, 'report.json');
  const pattern = `${title.replaceAll(/[^\w\s]/g, '\\$&')}$`;
  const flags = ['--project=pure', '--maxWorkers=1', '--testTimeout=5000', '--reporter=json', `--outputFile.json=${outputFile}`];
  await execa(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...flags, file, '-t', pattern], {
    env: { MUTANT: JSON.stringify(mutant) },
    reject: false,
    stdio: 'ignore',
  });
  const { testResults } = JSON.parse(await readFile(outputFile, 'utf8')) as Report;
  await rm(folder, { recursive: true });
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  return results.filter((result) => result.title === title && result.status !== 'skipped').map(({ status }) => status);
}
