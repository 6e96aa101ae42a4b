import { spawnSync } from 'node:child_process';

/** All that must be clean before a change lands, apart from the live tests. */
const steps: readonly (readonly [string, readonly string[]])[] = [
  ['lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', [process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.']],
  ['unused code', [process.execPath, 'node_modules/knip/bin/knip.js']],
  ['pure tests', [process.execPath, 'scripts/run.mjs', 'test:pure']],
  ['packed consumer', [process.execPath, '--disable-warning=ExperimentalWarning', 'scripts/packed-consumer.ts']],
];

const seconds: string[] = [];
for (const [name, [command = '', ...args]] of steps) {
  const start = Date.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  seconds.push(`${name} ${Math.round((Date.now() - start) / 1000)} s`);
  if (status === 0) continue;
  console.error(`check: ${name} failed.`);
  process.exit(1);
}
console.log(`\ncheck: clean (${seconds.join(', ')})`);
