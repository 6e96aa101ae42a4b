import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import { compactionResultSchema } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('claude'))('R8 what a compaction comes to on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  test('R1 completed: the whole proof in order, and the provider was asked for a summary', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'remember the word heron');
    const result = await session.compact({ instructions: 'Keep the word.' });
    expect(compactionResultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({ status: 'completed', context: 'compacted', runtime: 'claude', vendorVersion: version });
    const kinds = result.evidence.map(({ kind }) => kind).filter((kind) => kind !== 'queued');
    expect(kinds).toEqual(['dispatched', 'started', 'compacting', 'compact_result', 'init', 'compact_boundary', 'result']);
    const numbers = result.evidence.map(({ frame }) => frame);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const proof = session.frame(numbers.at(-1) ?? 0)?.native as Record<string, unknown>;
    const command = session.frame(numbers[0] ?? 0)?.native as Record<string, unknown>;
    expect(proof).toMatchObject({ type: 'result', local_command: 'compact', user_message_uuid: command.uuid });
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(1);
    expect(bench.server.requests.find((request) => request.isCompaction)?.messages.at(-1)?.text).toContain('Keep the word.');
    expect(bench.transcript(session.nativeId ?? '').filter((row) => row.subtype === 'compact_boundary')).toHaveLength(1);
  });

  test('R7 blocked by a hook is failed, although the native result says success', async () => {
    bench = await openClaudeBench(version);
    bench.write('~/claude/settings.json', {
      hooks: { PreCompact: [{ hooks: [{ type: 'command', command: 'echo not-now >&2; exit 2' }] }] },
    });
    const session = await bench.open();
    await say(session, 'hello');
    const result = await session.compact();
    expect(result).toMatchObject({ status: 'failed', reason: 'native_failed', hint: 'blocked_by_hook', context: 'unchanged' });
    expect(session.frame(result.evidence.at(-1)?.frame ?? 0)?.native).toMatchObject({ subtype: 'success', is_error: false });
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(0);
  });

  test('nothing to compact is failed with that hint: an empty session, and one that holds only a summary', async () => {
    bench = await openClaudeBench(version);
    const empty = await bench.open();
    expect(await empty.compact()).toMatchObject({ status: 'failed', hint: 'nothing_to_compact', context: 'unchanged' });
    const full = await bench.open();
    await say(full, 'hello');
    expect((await full.compact()).status).toBe('completed');
    await full.dispose();
    const again = await bench.open({ resume: full.nativeId });
    expect(await again.compact()).toMatchObject({ status: 'failed', hint: 'nothing_to_compact', context: 'unchanged' });
  });

  test('C2 cancelled after the start is what Claude says: failed; the next compaction completes', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = session.compact();
    await asked;
    await session.abort();
    const result = await pending;
    expect(result).toMatchObject({ status: 'failed', reason: 'native_failed', context: 'unchanged' });
    expect(result.status === 'failed' && result.hint).toBeUndefined();
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    await say(session, 'go on');
    expect((await session.compact()).status).toBe('completed');
  });
});
