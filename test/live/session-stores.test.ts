import { claudeSessions } from '@native-compaction/claude';
import { codexSessions } from '@native-compaction/codex';
import { piSessions } from '@native-compaction/pi/rpc';
import { expect, test } from 'vitest';
import { openClaudeBench } from '../support/claude.ts';
import { openCodexBench } from '../support/codex.ts';
import { openPiBench } from '../support/pi.ts';
import { say } from '../support/sessions.ts';
import { versionsOf } from '../support/vendors.ts';

const stores = [
  ...versionsOf('claude').map((version) => ({
    vendor: 'claude',
    version,
    open: () => openClaudeBench(version),
    read: claudeSessions,
  })),
  ...versionsOf('codex').map((version) => ({
    vendor: 'codex',
    version,
    open: () => openCodexBench(version),
    read: codexSessions,
  })),
  ...versionsOf('pi').map((version) => ({
    vendor: 'pi',
    version,
    open: () => openPiBench({ version, surface: 'rpc' }),
    read: piSessions,
  })),
];

test.each(stores)(
  "R9 $vendor $version: the vendor's own files name what can be resumed, newest first and redacted",
  async (store) => {
    const bench = await store.open();
    try {
      expect([...store.read(bench.env)]).toEqual([]);
      const key = `sk-${'a1'.repeat(20)}`;
      const first = await bench.open();
      await say(first, `Remember\n  the key ${key}. ${'And more. '.repeat(40)}`);
      await first.dispose();
      const second = await bench.open();
      await say(second, 'Hello.');
      await second.dispose();
      const unused = await bench.open();
      await unused.dispose();

      const found = [...store.read(bench.env)];
      expect(found.map(({ nativeId, cwd }) => [nativeId, cwd])).toEqual([
        [second.nativeId, bench.project],
        [first.nativeId, bench.project],
      ]);
      expect(found[0]?.firstWords).toBe('Hello.');
      expect(found[1]?.firstWords).toMatch(/^Remember the key \[redacted\]\. And more\./);
      expect(found[1]?.firstWords).toHaveLength(200);
      expect(Date.now() - (found[0]?.lastActivityMs ?? 0)).toBeLessThan(60_000);
      expect(JSON.stringify(found)).not.toContain(key);

      const resumed = await bench.open({ resume: found[1]?.nativeId, cwd: found[1]?.cwd });
      expect(resumed.nativeId).toBe(first.nativeId);
    } finally {
      await bench.close();
    }
  },
);
