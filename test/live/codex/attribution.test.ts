import type { CompactionResult, Session } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench, type WiredCodex } from '../../support/codex.ts';
import { recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const TRIES = 40;

describe.each(versionsOf('codex'))('R6 R8 G5 attribution under fire on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  const turnOf = (result: CompactionResult) => result.evidence.find(({ ids }) => ids.turnId)?.ids.turnId;
  const setGoal = ({ session, request }: WiredCodex) =>
    request('thread/goal/set', { threadId: session.nativeId, objective: 'GOAL', status: 'active' });

  /** The provider's own word on which turns ran a compaction that was asked for by hand. */
  const manualTurns = () => bench.server.codexTurns.filter(({ trigger }) => trigger === 'manual').map(({ turnId }) => turnId);

  test('with the summary held half a second and no goal: completed, every time, and the provider names the same turn', async () => {
    bench = await openCodexBench(version, async (request) => {
      if (request.isCompaction) await new Promise((done) => setTimeout(done, 500)); // the provider's own slowness
      return { text: request.isCompaction ? 'SUMMARY' : 'fine' };
    });
    const sessions: Session[] = [];
    for (let count = 0; count < 8; count += 1) sessions.push(await bench.open()); // 0.166 cannot make its home twice at once
    const results = await Promise.all(
      sessions.map(async (session) => {
        const own: CompactionResult[] = [];
        for (let round = 0; round < TRIES / 8; round += 1) {
          await say(session, `hello ${round}`);
          own.push(await session.compact());
        }
        return own;
      }),
    );
    const all = results.flat();
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: TRIES }, () => 'completed'));
    expect(all.map(turnOf).sort()).toEqual(manualTurns().sort());
  });

  test('a goal set 0 to 15 ms before or after the dispatch: nothing false, and each result agrees with the provider', {
    timeout: 240_000,
  }, async () => {
    const counts: Record<string, number> = {};
    const wrong: string[] = [];
    let ran = 0;
    let unattributed = 0;
    for (let round = 0; round < TRIES; round += 1) {
      bench = await openCodexBench(
        version,
        (request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine', usage: { inputTokens: 900 } }),
        {
          config: ['model_auto_compact_token_limit = 500'],
        },
      );
      const delay = round % 16;
      const isBefore = round % 2 === 0;
      const wired = await bench.openWired({
        watch(dir, frame) {
          // After the dispatch: the goal follows the command by so many milliseconds.
          if (!isBefore && dir === 'out' && frame.method === 'thread/compact/start') setTimeout(() => setGoal(wired), delay);
          // Before it: the goal lands between the gate's reading and the command, or just before the reading.
          if (isBefore && dir === 'out' && frame.method === 'thread/goal/get') setGoal(wired);
        },
      });
      await say(wired.session, 'hello');
      if (isBefore && delay > 7) {
        setGoal(wired);
        await new Promise((done) => setTimeout(done, delay - 8)); // the race is what this is about
      }
      const result = await wired.session.compact({ timeoutMs: 5_000 });
      const manual = manualTurns();
      const key = 'reason' in result ? `${result.status}/${result.reason}` : result.status;
      counts[key] = (counts[key] ?? 0) + 1;
      if (manual.length > 0) ran += 1;
      if (manual.length > 0 && result.status === 'unconfirmed') unattributed += 1;
      const bound = result.evidence.findLast(({ kind }) => kind.startsWith('turn_'))?.ids.turnId ?? '';
      if (result.status === 'completed' && !manual.includes(bound))
        wrong.push(`${round}: completed for ${bound}, the provider ran ${manual}`);
      if ((result.status === 'failed' || result.status === 'aborted') && manual.length > 0 && !manual.includes(bound))
        wrong.push(`${round}: ${result.status}`);
      if (result.status === 'rejected' && manual.length > 0) wrong.push(`${round}: rejected, and yet the provider ran ${manual}`);
      await bench.close();
    }
    if (process.env.REPORT)
      console.log(
        `fire on ${version}: ${JSON.stringify(counts)}, the provider ran ours ${ran} times, ${unattributed} of them not attributed`,
      );
    expect(wrong).toEqual([]);
    if (version === '0.171.0') expect(unattributed).toBeLessThanOrEqual(ran * 0.1);
    bench = await openCodexBench(version);
  });

  test("a goal's activation is told before its turn starts", async () => {
    for (let round = 0; round < 10; round += 1) {
      bench = await openCodexBench(version);
      const order: string[] = [];
      const started = Promise.withResolvers<void>();
      const wired = await bench.openWired({
        watch(dir, frame) {
          if (dir !== 'in' || (frame.method !== 'thread/goal/updated' && frame.method !== 'turn/started')) return;
          order.push(frame.method);
          if (frame.method === 'turn/started' && order.length > 1) started.resolve();
        },
      });
      await say(wired.session, 'hello');
      setGoal(wired);
      await started.promise;
      expect(order.slice(1, 3)).toEqual(['thread/goal/updated', 'turn/started']);
      expect(await wired.session.compact()).toMatchObject({ status: 'rejected' });
      expect(JSON.stringify(await recordsSoFar(wired.session))).not.toContain('compaction_dispatched');
      await bench.close();
    }
    bench = await openCodexBench(version);
  });
});
