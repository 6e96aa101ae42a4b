import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What vitest's JSON report says, as far as we read it. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { name: string; status: string; assertionResults: unknown[] }[];
}

const budgets = JSON.parse(readFileSync(new URL('./lanes.json', import.meta.url), 'utf8')) as Record<string, number>;
const folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
const { lanes, filters } = split(process.argv.slice(2));
const rows = lanes.map(runLane);
rmSync(folder, { recursive: true });

console.log('\nlane      passed  failed  seconds  budget');
for (const { lane, passed, failed, seconds, budget } of rows) {
  const over = seconds > budget ? '  over budget' : '';
  console.log(
    `${lane.padEnd(8)}${String(passed).padStart(8)}${String(failed).padStart(8)}${String(seconds).padStart(9)}${String(budget).padStart(8)}${over}`,
  );
}
const passed = rows.reduce((sum, row) => sum + row.passed, 0);
const failed = rows.reduce((sum, row) => sum + row.failed, 0);
if (passed + failed === 0) console.log(`No test matches ${filters.join(' ')}.`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** One vitest run. A test that was skipped, and a file that could not be loaded, count as failed. */
function runLane(lane: string) {
  const report = join(folder, `${lane}.json`);
  const project = lane === 'pure' || lane === 'mutants' ? lane : 'live';
  const args = [
    'run',
    `--project=${project}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ];
  const start = Date.now();
  const env = { ...process.env, LANE: lane, VENDORS: lane === 'command' ? 'newest' : lane };
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], { env, stdio: 'inherit' });
  const seconds = Math.round((Date.now() - start) / 1000);
  const counted = count(report);
  const failed = counted.failed === 0 && status !== 0 ? 1 : counted.failed;
  return { lane, passed: counted.passed, failed, seconds, budget: budgets[lane] ?? 0 };
}

function count(path: string): { passed: number; failed: number } {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return { passed: 0, failed: 1 };
  }
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numPendingTests + report.numTodoTests + unloaded,
  };
}

/** Names of lanes take the place of the task's own; every other word is handed to vitest to choose files or tests by. */
function split(words: string[]) {
  const own = words.flatMap((word) => (word.startsWith('--lanes=') ? word.slice('--lanes='.length).split(',') : []));
  const rest = words.filter((word) => !word.startsWith('--lanes='));
  const named = rest.filter((word) => word in budgets);
  return { lanes: named.length > 0 ? named : own, filters: rest.filter((word) => !(word in budgets)) };
}
