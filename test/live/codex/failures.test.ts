import type { Reply } from '@native-compaction/conformance';
import type { Session } from '@native-compaction/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const failed = (hint?: string) => ({
  status: 'failed',
  reason: 'native_failed',
  context: 'unchanged',
  ...(hint ? { hint } : {}),
});
const rows: [string, Reply, object][] = [
  ['400', { status: 400, message: 'bad key sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa' }, failed()],
  ['401', { status: 401, message: 'who' }, failed()],
  ['404', { status: 404, message: 'where' }, failed()],
  ['429', { status: 429, message: 'slow down' }, failed()],
  ['500', { status: 500, message: 'broken' }, failed()],
  ['503', { status: 503, message: 'away' }, failed()],
  ['a connection dropped before it answered', { text: 'a long summary', cut: 0 }, failed()],
  ['a stream that is cut', { text: 'a long summary '.repeat(50), cut: 3 }, failed()],
];

describe.each(versionsOf('codex'))('failing compactions on Codex %s', (version) => {
  let bench: CodexBench;
  let session: Session;
  beforeAll(async () => {
    bench = await openCodexBench(version);
    session = await bench.open();
    await say(session, 'hello');
  });
  afterAll(() => bench.close());

  test.each(rows)('%s is failed, with the native error redacted, and the thread stays usable', async (_what, reply, expected) => {
    bench.server.script((request) => (request.isCompaction ? reply : { text: 'fine' }));
    const result = await session.compact();
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toMatch(/sk-ant|127\.0\.0\.1/);
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    await say(session, 'still there');
  });

  test('a native success that hides an empty or a useless summary is completed: Codex cannot tell', async () => {
    for (const reply of [{ text: '' }, { tool: 'exec_command', input: { cmd: 'true' } }] as Reply[]) {
      bench.server.script((request) => (request.isCompaction ? reply : { text: 'fine' }));
      expect((await session.compact()).status).toBe('completed');
      await say(session, 'go on');
    }
  });

  test('a provider that is gone', async () => {
    await bench.server.close();
    expect(await session.compact()).toMatchObject(failed());
    expect(session.status().state).toBe('idle');
  });
});

describe.each(versionsOf('codex'))('retries and context limits on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('willRetry is progress, and the retry that works completes', async () => {
    bench = await openCodexBench(version, undefined, { retries: 2 });
    const session = await bench.open();
    await say(session, 'hello');
    let asked = 0;
    bench.server.script((request): Reply => {
      if (!request.isCompaction) return { text: 'fine' };
      asked += 1;
      return asked === 1 ? { text: 'half a summary '.repeat(50), cut: 3 } : { text: 'SUMMARY' };
    });
    expect((await session.compact()).status).toBe('completed');
    expect(
      (await recordsSoFar(session)).filter((item) => item.type === 'compaction_progress' && item.detail === 'retry'),
    ).toHaveLength(1);
  });
});

describe.each(versionsOf('codex'))('remote compaction on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('an answer without the compaction item is failed', async () => {
    bench = await openCodexBench(version, (request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }), {
      providerName: 'OpenAI',
    });
    const session = await bench.open();
    await say(session, 'hello');
    const result = await session.compact();
    expect(result).toMatchObject(failed());
    expect(result.status === 'failed' && result.message).toContain('exactly one compaction output item');
    await say(session, 'still there');
  });
});
