import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { allVersionsOf } from '../support/vendors.ts';

test('R8 the demo tells the truth about the newest Claude Code, Codex and Pi', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/run.mjs', 'demo', '--json'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map((line) => [line.runtime, line.status, line.reason ?? line.by, line.context])).toEqual([
    ['claude', 'completed', undefined, 'compacted'],
    ['claude', 'failed', 'native_failed', 'unchanged'],
    ['claude', 'aborted', 'caller', 'unchanged'],
    ['claude', 'completed', undefined, 'compacted'],
    ['codex', 'completed', undefined, 'compacted'],
    ['codex', 'rejected', 'busy_turn', 'unchanged'],
    ['codex', 'aborted', 'caller', 'unchanged'],
    ['codex', 'completed', undefined, 'compacted'],
    ['pi-rpc', 'failed', 'native_failed', 'unchanged'],
    ['pi-rpc', 'completed', undefined, 'compacted'],
    ['pi-rpc', 'aborted', 'caller', 'unchanged'],
    ['pi-rpc', undefined, undefined, undefined],
  ]);
  for (const line of lines) {
    expect(line.version).toBe(allVersionsOf(String(line.runtime).replace('-rpc', '')).at(-1));
    if (line.status !== undefined && line.status !== 'rejected') expect((line.evidence as unknown[]).length).toBeGreaterThan(1);
  }
  const restored = lines.filter((line) => line.nextRequest !== undefined);
  expect(restored).toHaveLength(3);
  for (const line of restored)
    expect(line.nextRequest).toEqual({ newSystem: true, newAppend: true, oldSystem: false, oldAppend: false });
});
