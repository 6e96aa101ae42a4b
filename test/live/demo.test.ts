import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { allVersionsOf } from '../support/vendors.ts';

test('the demo tells the truth about the newest Claude Code', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/run.mjs', 'demo', '--json'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map((line) => [line.status, line.reason, line.context])).toEqual([
    ['completed', undefined, 'compacted'],
    ['failed', 'native_failed', 'unchanged'],
    ['aborted', 'caller', 'unchanged'],
    ['completed', undefined, 'compacted'],
  ]);
  for (const line of lines) {
    expect(line).toMatchObject({ runtime: 'claude', version: allVersionsOf('claude').at(-1) });
    expect((line.evidence as unknown[]).length).toBeGreaterThan(1);
  }
  expect(lines[3]?.nextRequest).toEqual({ newSystem: true, newAppend: true, oldSystem: false, oldAppend: false });
});
