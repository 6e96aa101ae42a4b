import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import { compactionResultSchema } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, record, recordsSoFar, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('claude'))('Claude Code %s', (version) => {
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

  test('a provider that always fails is failed, with the native text', async () => {
    bench = await openClaudeBench(version, undefined, { CLAUDE_CODE_MAX_RETRIES: '1' });
    const session = await bench.open();
    await say(session, 'hello');
    for (const [status, message] of [
      [400, 'the-provider-refuses'],
      [500, 'the-provider-breaks'],
    ] as const) {
      bench.server.script(() => ({ status, message }));
      const result = await session.compact();
      expect(result).toMatchObject({ status: 'failed', hint: 'provider_error', context: 'unchanged' });
      expect(result.status === 'failed' && result.message).toContain(`API Error: ${status}`);
    }
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    expect((await session.compact()).status).toBe('completed');
  });

  test('C2 cancelled before the start is aborted by the caller; the provider was never asked', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    let cancelled: Promise<void> | undefined;
    session.on('record', (item) => {
      if (item.type === 'compaction_dispatched') cancelled = session.abort();
    });
    const result = await session.compact();
    await cancelled;
    expect(result).toMatchObject({ status: 'aborted', by: 'caller', context: 'unchanged' });
    expect(result.evidence.map(({ kind }) => kind)).not.toContain('started');
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(0);
    await say(session, 'the next input is unharmed');
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

  test('R4 S2 timed out: only the waiting ends; the late end is recorded and the held input follows it', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request) => {
      if (request.isCompaction) await release.promise;
      return { text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' };
    });
    const asked = bench.server.next((request) => request.isCompaction);
    const result = await session.compact({ timeoutMs: 1_000, requestId: 'slow' });
    await asked;
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'timeout', started: true, context: 'unknown' });
    expect(session.status()).toMatchObject({ state: 'compacting', compaction: { requestId: 'slow', started: true } });
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    const held = session.send('after it');
    release.resolve();
    const late = await record(session, 'compaction_ended', (item) => item.requestId === 'slow');
    expect(late).toMatchObject({ outcome: 'completed', late: true });
    expect(await held.ended).toBe('completed');
    expect(result.status).toBe('unconfirmed');
    expect(session.status().compaction).toBeUndefined();
  });

  test('R2 an aborted signal writes no byte; one aborted between admission and write writes no command', async () => {
    bench = await openClaudeBench(version);
    const lines: unknown[] = [];
    const session = await bench.open({}, { tap: (line) => void (line.dir === 'out' && lines.push(line.frame)) });
    await say(session, 'hello');
    const before = lines.length;
    expect(await session.compact({ signal: AbortSignal.abort() })).toMatchObject({ status: 'rejected', reason: 'aborted' });
    expect(lines).toHaveLength(before);
    const controller = new AbortController();
    const pending = session.compact({ signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ status: 'rejected', reason: 'aborted' });
    await say(session, 'hello again');
    expect(JSON.stringify(lines)).not.toContain('/compact');
  });

  test('R3 timeoutMs 0 dispatches, then ends the wait on the next turn of the event loop', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    const result = await session.compact({ timeoutMs: 0 });
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'timeout' });
    expect(result.dispatchedAtMs).toBeTypeOf('number');
    expect(await record(session, 'compaction_ended')).toMatchObject({ outcome: 'completed', late: true });
  });

  test('R5 dispose ends the wait at once, unconfirmed, and no terminal is invented', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = session.compact();
    const held = session.send('never sent');
    await asked;
    const gone = session.dispose();
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'disposed', started: true });
    expect(await held.delivered).toBe('undelivered');
    expect(await held.ended).toBe('undelivered');
    await gone;
    expect((await recordsSoFar(session)).filter((item) => item.type === 'compaction_ended')).toEqual([]);
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'closed' });
  });

  test('R5 a killed vendor is unconfirmed/process_exit; an input without its end is unconfirmed', async () => {
    bench = await openClaudeBench(version);
    let pid = 0;
    const tap = (line: { pid: number }) => {
      pid = line.pid;
    };
    const session = await bench.open({}, { tap });
    await say(session, 'hello');
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = session.compact();
    await asked;
    process.kill(pid, 'SIGKILL');
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'process_exit', started: true });
    expect((await recordsSoFar(session)).at(-1)).toMatchObject({ type: 'session_closed', why: 'process_exit' });

    const other = await bench.open({}, { tap });
    const prompted = bench.server.next();
    const input = other.send('a prompt that hangs');
    await prompted;
    process.kill(pid, 'SIGKILL');
    expect([await input.delivered, await input.ended]).toEqual(['delivered', 'unconfirmed']);
  });
});
