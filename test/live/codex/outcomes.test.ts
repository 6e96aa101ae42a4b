import { compactionResultSchema } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('codex'))('R8 what a compaction comes to on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('R1 completed: bound at its turn, with the item and the end of that turn', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'remember the word heron');
    const result = await session.compact();
    expect(compactionResultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({ status: 'completed', context: 'compacted', runtime: 'codex', vendorVersion: version });
    expect(result.evidence.map(({ kind }) => kind)).toEqual([
      'dispatched',
      'accepted',
      'turn_started',
      'item_started',
      'item_completed',
      'turn_completed',
    ]);
    expect(new Set(result.evidence.slice(2).map(({ ids }) => ids.turnId)).size).toBe(1);
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(1);
    expect(bench.rollout(session.nativeId ?? '').filter((line) => line.type === 'compacted')).toHaveLength(1);
    await say(session, 'go on');
    expect((await session.compact()).status).toBe('completed');
  });

  test('an empty thread and a resumed one are compacted as well: Codex knows no "nothing to compact"', async () => {
    bench = await openCodexBench(version);
    const empty = await bench.open();
    expect((await empty.compact()).status).toBe('completed');
    const first = await bench.open();
    await say(first, 'hello');
    await first.dispose();
    const again = await bench.open({ resume: first.nativeId });
    expect(again.nativeId).toBe(first.nativeId);
    expect((await again.compact()).status).toBe('completed');
  });

  test('after a failed, an aborted and a systemError turn the thread is ready', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    bench.server.script(() => ({ status: 400, message: 'no' }));
    expect(await session.send('fails').ended).toBe('failed');
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    expect((await session.compact()).status).toBe('completed');
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next();
    const turn = session.send('hangs');
    await asked;
    await session.abort();
    expect(await turn.ended).toBe('aborted');
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    expect((await session.compact()).status).toBe('completed');
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'aborted' });
  });

  test('compact_prompt is offered as configuration', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open({}, { config: { compact_prompt: 'MY-OWN-COMPACT-PROMPT' } });
    await say(session, 'hello');
    expect((await session.compact()).status).toBe('completed');
    const asked = bench.server.requests.at(-1);
    expect(asked?.messages.at(-1)?.text).toContain('MY-OWN-COMPACT-PROMPT');
    expect(asked?.isCompaction).toBe(true);
  });

  test('T7 records tell a conversation with a tool', async () => {
    bench = await openCodexBench(version, (request) => {
      const last = request.messages.at(-1);
      return last?.role === 'user' && last.text.includes('use a tool')
        ? { tool: 'exec_command', input: { cmd: 'echo from-the-tool' } }
        : { text: request.isCompaction ? 'SUMMARY' : 'done' };
    });
    const session = await bench.open({ permissions: () => 'allow', deltas: true });
    await say(session, 'use a tool');
    const records = await recordsSoFar(session);
    const types = records.map((item) => item.type);
    // Two requests were asked in that turn, of 1,000 and 50 tokens each.
    expect(records.findLast((item) => item.type === 'turn_ended')).toMatchObject({
      usage: { inputTokens: 2_000, outputTokens: 100 },
    });
    for (const wanted of ['tool_called', 'tool_result', 'assistant_text', 'turn_ended'] as const) expect(types).toContain(wanted);
  });
});
