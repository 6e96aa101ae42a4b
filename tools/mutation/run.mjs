// Puts faults into a package's machine or loop one by one and counts how many its pure tests find. Words choose: a package, or
// files of it (`codex`, `codex/binding,turns`); none means all. What survives is listed with its place.
import { readFileSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';

const subjects = JSON.parse(readFileSync(new URL('./subjects.json', import.meta.url), 'utf8'));
const words = process.argv.slice(2);
const chosen = (words.length > 0 ? words : Object.keys(subjects)).map((word) => word.split('/'));
const isKnown = (name, base) => subjects[name]?.mutate.includes(base);
const unknown = chosen.find(([name, bases]) => !subjects[name] || bases?.split(',').some((base) => !isKnown(name, base)));
if (unknown) {
  console.error(
    `Unknown subject "${unknown.join('/')}". There are ${Object.keys(subjects).join(', ')}, and files such as pi/proof.`,
  );
  process.exit(1);
}
for (const [name, bases] of chosen) {
  const { mutate, tests } = subjects[name];
  process.env.MUTATION_TESTS = tests.join(';');
  const files = (bases?.split(',') ?? mutate).map((base) => `packages/${name}/src/${base}.ts`);
  console.log(`\n${files.join(', ')}`);
  const results = await new Stryker({
    mutate: files,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // Another word of a closed union, or an object without its members, is what the compiler refuses already.
    mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
    warnings: { slow: false },
    vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    disableTypeChecks: false,
    concurrency: Number(process.env.WORKERS ?? 2),
    timeoutMS: 10_000,
    tempDirName: '.cache/mutation',
    ignorePatterns: ['**/dist', '**/fixtures', 'docs', 'examples', 'test/vendors', '.cache'],
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
    allowConsoleColors: false,
    logLevel: 'warn',
  }).runMutationTest();
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
  const found = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  console.log(`${name}: ${found} of ${found + missed} found, ${((100 * found) / (found + missed)).toFixed(1)} %`);
}
