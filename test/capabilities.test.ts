import { readdirSync, readFileSync } from 'node:fs';
import { claudeManualCompaction, createClaudeRuntime } from '@native-compaction/claude';
import type { ManualCompaction } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';

/** Every runtime with what it declares, and where its regressions stand. */
const inventory: Record<string, { declares: ManualCompaction | undefined; fixtures: string; live: string }> = {
  claude: { declares: claudeManualCompaction, fixtures: 'packages/claude/test/fixtures', live: 'test/live/claude' },
};

describe.each(Object.entries(inventory))('the runtime %s', (id, { declares, fixtures, live }) => {
  test('declares what it is known to do', () => {
    expect(createClaudeRuntime().id).toBe(id);
    expect(createClaudeRuntime().manualCompaction).toBe(declares);
    expect(declares).toEqual({
      instructions: 'per-request',
      promptChange: { system: 'at-next-compaction', append: 'at-next-compaction' },
      cancellation: 'native',
      anchorRoute: 'compaction-hook',
      testedVersions: ['2.1.316', '2.1.332'],
    });
  });

  test('a declaration without its regressions fails', () => {
    if (!declares) return;
    expect(readdirSync(fixtures).sort()).toEqual([...declares.testedVersions].sort());
    const pinned = Object.values(
      JSON.parse(readFileSync('test/vendors/vendors.json', 'utf8')) as Record<string, string[]>,
    ).flat();
    for (const version of declares.testedVersions) {
      expect(pinned).toContain(`${id}-${version}`);
      const { dependencies } = JSON.parse(readFileSync(`test/vendors/${id}-${version}/package.json`, 'utf8')) as {
        dependencies: Record<string, string>;
      };
      expect(Object.values(dependencies)).toEqual([version]);
      const recorded = readdirSync(`${fixtures}/${version}`).join('\n');
      for (const about of ['outcomes-', 'cancellation', 'death-', 'automatic-', 'provider']) expect(recorded).toContain(about);
    }
    const liveTests = readdirSync(live)
      .map((file) => readFileSync(`${live}/${file}`, 'utf8'))
      .join('\n');
    expect(liveTests).toContain(`describe.each(versionsOf('${id}'))`);
    for (const promise of ['P1', 'C2', 'R4', 'R5', 'R9', 'T8', 'T9', 'G2', 'S2'])
      expect(liveTests, promise).toMatch(new RegExp(`test\\(\\s*'[^']*\\b${promise}\\b`));
  });
});

test('every backend package is in the inventory', () => {
  const backends = readdirSync('packages').filter((name) => !['core', 'transport', 'conformance', 'continuity'].includes(name));
  expect(backends.sort()).toEqual(Object.keys(inventory).sort());
});
