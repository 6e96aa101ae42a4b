import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { allVersionsOf, versionsOf } from '../../support/vendors.ts';

const newest = allVersionsOf('claude').at(-1) ?? '';

test.each(versionsOf('claude').filter((version) => version === newest))(
  'the demo tells the truth about Claude Code %s',
  (version) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/run.mjs', 'demo', '--json'], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ status, reason, context }) => [status, reason, context])).toEqual([
      ['completed', undefined, 'compacted'],
      ['failed', 'native_failed', 'unchanged'],
      ['aborted', 'caller', 'unchanged'],
      ['completed', undefined, 'compacted'],
    ]);
    for (const line of lines) {
      expect(line).toMatchObject({ runtime: 'claude', version });
      expect((line.evidence as unknown[]).length).toBeGreaterThan(1);
    }
    expect(lines[3]?.nextRequest).toEqual({ newSystem: true, newAppend: true, oldSystem: false, oldAppend: false });
  },
);
