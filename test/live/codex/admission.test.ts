import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('codex'))('G3 what may start a turn is refused on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  /** Opens a session whose wire tells what a goal or the queue did; nothing may ever write a compaction. */
  async function open(experimentalApi = false, resume?: string) {
    const seen = new Map<string, PromiseWithResolvers<void>>();
    const seenOnce = (method: string) => {
      const known = seen.get(method) ?? Promise.withResolvers<void>();
      seen.set(method, known);
      return known;
    };
    const written: unknown[] = [];
    const wired = await bench.openWired({
      experimentalApi,
      ...(resume ? { open: { resume } } : {}),
      watch(dir, frame) {
        if (dir === 'out') written.push(frame.method);
        else seenOnce(String(frame.method)).resolve();
      },
    });
    return { ...wired, written, told: (method: string) => seenOnce(method).promise };
  }

  test('a goal that is active, with its turn running and right after a resume', async () => {
    bench = await openCodexBench(version);
    const first = await open();
    const threadId = first.session.nativeId;
    await say(first.session, 'hello');
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next();
    first.request('thread/goal/set', { threadId, objective: 'GOAL', status: 'active' });
    await asked;
    expect(await first.session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    expect(first.written).not.toContain('thread/compact/start');
    expect(first.session.status().state).toBe('running');
    await first.session.dispose();
    const second = await open(false, threadId);
    const result = await second.session.compact();
    expect(result).toMatchObject({ status: 'rejected' });
    expect(['goal_active', 'busy_turn']).toContain('reason' in result ? result.reason : undefined);
    expect(second.written).not.toContain('thread/compact/start');
  });

  test('a paused goal starts nothing and is no reason to refuse', async () => {
    bench = await openCodexBench(version);
    const { session, request, told } = await open();
    await say(session, 'hello');
    request('thread/goal/set', { threadId: session.nativeId, objective: 'GOAL', status: 'paused' });
    await told('thread/goal/updated');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test.each(Array.from({ length: 12 }, (_none, at) => at))(
    "the vendor's own queue, while a turn runs and while the next one is about to begin: try %i",
    async () => {
      bench = await openCodexBench(version);
      const { session, request, written, told } = await open(true);
      const release = Promise.withResolvers<void>();
      bench.server.script(async () => {
        await release.promise;
        return { text: 'fine' };
      });
      const asked = bench.server.next();
      const turn = session.send('slow');
      await asked;
      const input = [{ type: 'text', text: 'QUEUED' }];
      request('thread/queue/add', { threadId: session.nativeId, input, clientUserMessageId: 'queued-1' });
      await told('thread/queue/changed');
      expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
      const again = bench.server.next((item) => item.messages.at(-1)?.text === 'QUEUED');
      release.resolve();
      expect(await turn.ended).toBe('completed');
      const result = await session.compact();
      await again;
      expect(result).toMatchObject({ status: 'rejected' });
      expect(written).not.toContain('thread/compact/start');
      expect(JSON.stringify(await recordsSoFar(session))).not.toContain('compaction_dispatched');
    },
  );
});
