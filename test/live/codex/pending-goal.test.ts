import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const TRIES = 40;

describe.each(versionsOf('codex'))('G3 a goal that was set and taken back on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('R6 S4 its turn may still begin behind the command: nothing false, and the input held behind it is not lost', {
    timeout: 120_000,
  }, async () => {
    bench = await openCodexBench(version, async (request) => {
      if (request.isCompaction) await new Promise((done) => setTimeout(done, 100)); // the provider's own slowness
      return { text: request.isCompaction ? 'SUMMARY' : 'fine' };
    });
    let cleared = Promise.withResolvers<void>();
    const wired = await bench.openWired({
      watch: (dir, frame) => void (dir === 'in' && frame.method === 'thread/goal/cleared' && cleared.resolve()),
    });
    const { session, request } = wired;
    const threadId = session.nativeId ?? '';
    await say(session, 'hello');
    const counts: Record<string, number> = {};
    const wrong: string[] = [];
    for (let round = 0; round < TRIES; round += 1) {
      cleared = Promise.withResolvers();
      const before = bench.server.codexTurns.length;
      void request('thread/goal/set', { threadId, objective: 'GOAL', status: 'active' });
      void request('thread/goal/clear', { threadId });
      await cleared.promise;
      const result = await session.compact();
      const ended = await session.send(`held ${round}`).ended;
      const manual = bench.server.codexTurns.slice(before).flatMap((turn) => (turn.trigger === 'manual' ? [turn.turnId] : []));
      const bound = result.evidence.findLast(({ kind }) => kind.startsWith('turn_'))?.ids.turnId ?? '';
      const key = 'reason' in result ? `${result.status}/${result.reason}` : result.status;
      counts[key] = (counts[key] ?? 0) + 1;
      if (ended !== 'completed') wrong.push(`${round}: the input ended ${ended} behind ${key}`);
      if (['completed', 'failed', 'aborted'].includes(result.status) && !manual.includes(bound))
        wrong.push(`${round}: ${key} for ${bound}, and the provider ran ${manual}`);
      if (result.status === 'rejected' && manual.length > 0) wrong.push(`${round}: ${key}, and the provider ran ${manual}`);
      await say(session, 'settle'); // what the goal began is over behind this
    }
    if (process.env.REPORT) console.log(`goals taken back on ${version}: ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
  });
});
