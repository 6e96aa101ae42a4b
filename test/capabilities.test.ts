import { readdirSync, readFileSync } from 'node:fs';
import { createClaudeRuntime } from '@native-compaction/claude';
import { createCodexRuntime } from '@native-compaction/codex';
import { conformanceCases, promisesOf } from '@native-compaction/conformance';
import type { ManualCompaction, Runtime } from '@native-compaction/core';
import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime } from '@native-compaction/pi/sdk';
import { describe, expect, test } from 'vitest';

interface Entry {
  /** The package, where it holds more than one runtime. */
  readonly vendor?: string;
  readonly runtime: Pick<Runtime<never>, 'id' | 'manualCompaction'>;
  readonly declares: ManualCompaction;
  /** What its recordings and its live tests must be about. */
  readonly recorded: readonly string[];
  readonly promises: readonly string[];
}

const pi = {
  vendor: 'pi',
  declares: {
    instructions: 'per-request',
    promptChange: { system: 'at-resume', append: 'at-resume' },
    cancellation: 'native',
    anchorRoute: 'none',
    testedVersions: ['1.4.0', '1.5.0', '1.6.0'],
  },
  promises: ['P1', 'C1', 'C4', 'R2', 'R3', 'R4', 'R5', 'R9', 'G4', 'S1', 'S2', 'S4', 'T6', 'T7', 'T8', 'E1', 'E3', 'E4'],
} as const;

/** Every runtime with what it declares, and what must have been shown of it. */
const inventory: Record<string, Entry> = {
  claude: {
    runtime: createClaudeRuntime(),
    declares: {
      instructions: 'per-request',
      promptChange: { system: 'at-next-compaction', append: 'at-next-compaction' },
      cancellation: 'native',
      anchorRoute: 'compaction-hook',
      testedVersions: ['2.1.316', '2.1.332'],
    },
    recorded: ['outcomes-', 'cancellation', 'death-', 'automatic-', 'provider'],
    promises: ['P1', 'C2', 'R4', 'R5', 'R9', 'T8', 'T9', 'G2', 'S2'],
  },
  codex: {
    runtime: createCodexRuntime(),
    declares: {
      instructions: 'configuration',
      promptChange: { system: 'at-resume', append: 'at-next-compaction' },
      cancellation: 'native',
      anchorRoute: 'none',
      testedVersions: ['0.166.0', '0.171.0'],
    },
    recorded: ['outcomes-', 'cancellation', 'death-', 'attribution', 'failures', 'remote', 'hooks-', 'threads-', 'admission-'],
    promises: ['P1', 'C1', 'C4', 'R4', 'R5', 'R6', 'R9', 'G3', 'S1', 'S2', 'S4', 'S5', 'T7', 'T8', 'E3'],
  },
  'pi-rpc': {
    ...pi,
    runtime: createPiRpcRuntime(),
    recorded: ['outcomes-rpc', 'attribution-rpc', 'cancellation-rpc', 'death-rpc', 'gate-rpc', 'inputs-rpc', 'protocol-rpc'],
  },
  'pi-sdk': {
    ...pi,
    runtime: createPiSdkRuntime(),
    recorded: ['outcomes-sdk', 'attribution-sdk', 'cancellation-sdk', 'death-sdk', 'gate-sdk', 'inputs-sdk'],
  },
};

describe.each(Object.entries(inventory))(
  'the runtime %s',
  (id, { vendor = id, runtime, declares, recorded: abouts, promises }) => {
    const [fixtures, live] = [`packages/${vendor}/test/fixtures`, `test/live/${vendor}`];

    test('declares what it is known to do', () => {
      expect(runtime.id).toBe(id);
      expect(runtime.manualCompaction).toEqual(declares);
    });

    test('a declaration without its regressions fails', () => {
      expect(readdirSync(fixtures).sort()).toEqual([...declares.testedVersions].sort());
      const pinned = Object.values(
        JSON.parse(readFileSync('test/vendors/vendors.json', 'utf8')) as Record<string, string[]>,
      ).flat();
      for (const version of declares.testedVersions) {
        expect(pinned).toContain(`${vendor}-${version}`);
        const { dependencies } = JSON.parse(readFileSync(`test/vendors/${vendor}-${version}/package.json`, 'utf8')) as {
          dependencies: Record<string, string>;
        };
        expect(Object.values(dependencies)).toEqual([version]);
        const recorded = readdirSync(`${fixtures}/${version}`).join('\n');
        for (const about of abouts) expect(recorded).toContain(about);
      }
      const liveTests = readdirSync(live)
        .map((file) => readFileSync(`${live}/${file}`, 'utf8'))
        .join('\n');
      expect(liveTests).toContain(`describe.each(versionsOf('${vendor}'))`);
      expect(liveTests).toContain('defineConformance(');
      for (const promise of promises) {
        const isInSuite = conformanceCases.some((one) => promisesOf(one).includes(promise));
        if (!isInSuite) expect(liveTests, promise).toMatch(new RegExp(String.raw`\(\s*'[^']*\b${promise}\b`));
      }
    });
  },
);

test('every backend package is in the inventory', () => {
  const others = ['core', 'transport', 'conformance', 'continuity', 'restore', 'cli'];
  const backends = readdirSync('packages').filter((name) => !others.includes(name));
  const vendors = Object.entries(inventory).map(([id, { vendor = id }]) => vendor);
  expect(backends.sort()).toEqual([...new Set(vendors)].sort());
});
