import {
  failedResponse,
  incompleteResponse,
  type RawStream,
  type Reply,
  unfinishedResponse,
} from '@native-compaction/conformance';
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
  ['401', { status: 401, message: 'who' }, failed('provider_error')],
  ['404', { status: 404, message: 'where' }, failed('provider_error')],
  ['429', { status: 429, message: 'slow down' }, failed('provider_error')],
  ['a usage limit', { status: 429, message: 'used up', type: 'usage_limit_reached' }, failed('provider_error')],
  ['500', { status: 500, message: 'broken' }, failed('provider_error')],
  ['503', { status: 503, message: 'away' }, failed('provider_error')],
  ['a connection dropped before it answered', { text: 'a long summary', cut: 0 }, failed()],
  ['a stream that is cut', { text: 'a long summary '.repeat(50), cut: 3 }, failed()],
];

const streams: [string, RawStream, object][] = [
  ['a stream that ends early', unfinishedResponse, failed()],
  ['response.failed with a server error', failedResponse('server_error', 'key sk-ant-api03-bbbbbbbbbbbbbbbbbbbbbbbb'), failed()],
  ['response.failed with a rate limit', failedResponse('rate_limit_exceeded', 'slow down'), failed()],
  ['response.failed with a quota', failedResponse('insufficient_quota', 'used up'), failed()],
  ['response.incomplete', incompleteResponse('max_output_tokens'), failed()],
];

describe.each(versionsOf('codex'))('R8 R9 failing compactions on Codex %s', (version) => {
  let bench: CodexBench;
  let session: Session;
  beforeAll(async () => {
    bench = await openCodexBench(version);
    session = await bench.open();
    await say(session, 'hello');
  });
  afterAll(() => bench.close());

  test.each(rows)(
    'R9 %s is failed, with the native error redacted, and the thread stays usable',
    async (_what, reply, expected) => {
      bench.server.script((request) => (request.isCompaction ? reply : { text: 'fine' }));
      const result = await session.compact();
      expect(result).toMatchObject(expected);
      expect(JSON.stringify(result)).not.toMatch(/sk-ant|127\.0\.0\.1/);
      bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
      await say(session, 'still there');
    },
  );

  test.each(streams)(
    'R9 %s is failed, with the native error redacted, and the thread stays usable',
    async (_what, stream, expected) => {
      bench.server.stream(stream);
      const result = await session.compact();
      expect(result).toMatchObject(expected);
      expect(JSON.stringify(result)).not.toMatch(/sk-ant|127\.0\.0\.1/);
      await say(session, 'still there');
    },
  );

  test('R9 an error body of megabytes is cut', async () => {
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'x'.repeat(2_000_000) } : { text: 'fine' }));
    const result = await session.compact();
    expect(result).toMatchObject(failed());
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
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

describe.each(versionsOf('codex'))('R8 T7 retries and context limits on Codex %s', (version) => {
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

  test('a provider that falls silent in the middle is failed after its own idle time', async () => {
    bench = await openCodexBench(version, undefined, { provider: ['stream_idle_timeout_ms = 300'] });
    const session = await bench.open();
    await say(session, 'hello');
    bench.server.script((request) =>
      request.isCompaction ? { text: 'a long summary '.repeat(50), stall: 3 } : { text: 'fine' },
    );
    expect(await session.compact()).toMatchObject(failed());
    await say(session, 'still there');
  });

  test('the context limit: Codex drops the oldest input without a word and completes, or fails with the hint', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'first');
    await say(session, 'second');
    const limit = failedResponse('context_length_exceeded', 'too long');
    bench.server.stream(limit);
    expect(await session.compact()).toMatchObject({ status: 'completed', context: 'compacted' });
    await say(session, 'third');
    bench.server.stream(...Array.from({ length: 20 }, () => limit));
    expect(await session.compact()).toMatchObject(failed('context_limit'));
    bench.server.stream();
    // Codex compacts by itself at the next turn; that is not ours.
    await say(session, 'fourth');
    const ended = (await recordsSoFar(session)).flatMap((item) =>
      item.type === 'compaction_ended' ? [[item.origin, item.outcome]] : [],
    );
    expect(ended).toEqual([
      ['manual', 'completed'],
      ['manual', 'failed'],
      ['automatic', 'completed'],
    ]);
  });
});
