import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench, type WiredCodex } from '../../support/codex.ts';
import { recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const itemOf = (frame: JsonObject) => (frame.params as { item?: JsonObject } | undefined)?.item?.type;
const stages: Record<string, (dir: string, frame: JsonObject) => boolean> = {
  'the gate read': (dir, frame) => dir === 'out' && frame.method === 'thread/goal/get',
  'the write': (dir, frame) => dir === 'out' && frame.method === 'thread/compact/start',
  'its turn': (dir, frame) => dir === 'in' && frame.method === 'turn/started',
  'the item': (_dir, frame) => frame.method === 'item/started' && itemOf(frame) === 'contextCompaction',
  'the end': (_dir, frame) => frame.method === 'turn/completed',
};
const ends: Record<string, (wired: WiredCodex) => void> = {
  SIGINT: ({ pid }) => process.kill(pid, 'SIGINT'),
  'stdin closed': (wired) => void wired.endInput(),
};

describe.each(versionsOf('codex'))('the end of a process on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  describe.each(Object.keys(ends))('%s', (how) => {
    test.each(Object.keys(stages))('R5 S5 at %s', async (stage) => {
      bench = await openCodexBench(version);
      let isArmed = false;
      const wired: WiredCodex = await bench.openWired({
        watch(dir, frame) {
          if (!isArmed || !stages[stage]?.(dir, frame)) return;
          isArmed = false;
          ends[how]?.(wired);
        },
      });
      await say(wired.session, 'something to summarize');
      bench.server.script((request) => (stage !== 'the end' && request.isCompaction ? { hang: true } : { text: 'SUMMARY' }));
      isArmed = true;
      const pending = wired.session.compact();
      const held = wired.session.send('held behind it');
      const result = await pending;
      const why = how === 'dispose' ? 'disposed' : 'process_exit';
      if (stage === 'the gate read') expect(['rejected', 'unconfirmed']).toContain(result.status);
      else if (stage === 'the end' && how !== 'dispose') expect(result.status).toBe('completed');
      else expect(result).toMatchObject({ status: 'unconfirmed', reason: why });
      if (result.status === 'rejected') expect(result.reason).toBe('closed');
      expect(['undelivered', 'unconfirmed']).toContain(await held.ended);
      await wired.session.dispose();
      const records = await recordsSoFar(wired.session);
      expect(records.at(-1)?.type).toBe('session_closed');
      expect(records.filter((item) => item.type === 'compaction_ended')).toHaveLength(result.status === 'completed' ? 1 : 0);
      const isCompacted = bench.rollout(wired.session.nativeId ?? '').some((line) => line.type === 'compacted');
      if (result.context === 'compacted') expect(isCompacted).toBe(true);
      if (result.context === 'unchanged') expect(isCompacted).toBe(false);
    });
  });
});
