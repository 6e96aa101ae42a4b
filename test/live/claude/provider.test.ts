import { brokenMessage, DEFAULT_SUMMARY, type ModelRequest, type Reply } from '@native-compaction/conformance';
import type { Session } from '@native-compaction/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, recordsSoFar, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

interface Row {
  readonly what: string;
  /** What the provider answers to the `asked`-th request (from 1) of the compaction. */
  readonly answers: (asked: number, request: ModelRequest) => Reply;
  readonly expected: object;
  /** Requests the provider saw, per version where they differ. */
  readonly requests?: number | Readonly<Record<string, number>>;
}

const good: Reply = { text: DEFAULT_SUMMARY };
const failed = (hint: string | undefined, context = 'unchanged') => ({
  status: 'failed',
  reason: 'native_failed',
  context,
  ...(hint ? { hint } : {}),
});
const completed = { status: 'completed', context: 'compacted' };
const once = (reply: Reply) => (asked: number) => (asked === 1 ? reply : good);
const always = (reply: Reply) => () => reply;

/** What a provider can do to a compaction, and what Claude Code makes of it (2 retries). */
const rows: Row[] = [
  { what: 'a good summary', answers: always(good), expected: completed, requests: 1 },
  { what: '400 once', answers: once({ status: 400, message: 'bad' }), expected: completed },
  { what: '401 once', answers: once({ status: 401, message: 'who' }), expected: completed },
  {
    what: '429 once, with retry-after',
    answers: once({ status: 429, message: 'slow down', retryAfter: 0 }),
    expected: completed,
  },
  { what: '500 once', answers: once({ status: 500, message: 'broken' }), expected: completed },
  { what: '400 for ever', answers: always({ status: 400, message: 'bad' }), expected: failed('provider_error'), requests: 6 },
  { what: '500 for ever', answers: always({ status: 500, message: 'broken' }), expected: failed('provider_error'), requests: 3 },
  {
    what: '529 for ever',
    answers: always({ status: 529, message: 'overloaded' }),
    expected: failed('provider_error'),
    requests: 3,
  },
  {
    what: '429 for ever',
    answers: always({ status: 429, message: 'slow down', retryAfter: 0 }),
    expected: failed('provider_error'),
    requests: 3,
  },
  { what: 'a stream cut after its headers, then good', answers: once({ ...good, cut: 1 } as Reply), expected: completed },
  {
    what: 'a connection dropped before it answered, for ever',
    answers: always({ ...good, cut: 0 } as Reply),
    expected: failed('provider_error'),
    requests: 3,
  },
  {
    what: 'every stream cut in the middle: asked again, at last without a stream',
    answers: always({ text: DEFAULT_SUMMARY.repeat(20), cut: 6 }),
    expected: completed,
    requests: 4,
  },
  {
    what: 'an empty answer for ever',
    answers: always({ text: '' }),
    expected: failed('provider_error'),
    requests: { '2.1.316': 1, '2.1.332': 2 },
  },
  {
    what: 'a tool call for ever',
    answers: always({ tool: 'Bash', input: { command: 'touch should-not-exist' } }),
    expected: failed('provider_error'),
  },
  { what: 'text without summary tags', answers: always({ text: 'just some text' }), expected: completed },
  { what: 'text that reads like an error', answers: always({ text: 'API Error: 500 something' }), expected: completed },
  {
    what: 'an answer that stopped at its token limit',
    answers: once({ text: '<summary>first half', stopReason: 'max_tokens' }),
    expected: completed,
  },
  { what: 'a refusal', answers: always({ text: 'no', stopReason: 'refusal' }), expected: failed('provider_error') },
  {
    what: 'a prompt that is too long',
    answers: always({ status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' }),
    expected: failed('context_limit'),
  },
];

describe.each(versionsOf('claude'))('R8 what the provider does to a compaction on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  let session: Session;
  beforeAll(async () => {
    bench = await openClaudeBench(version, undefined, { CLAUDE_CODE_MAX_RETRIES: '2' });
    session = await bench.open();
  });
  afterAll(() => bench.close());

  /** Fills the session, compacts once under the script, and tells how often the provider was asked for it. */
  const compactUnder = async (answers: Row['answers'], prepare = () => {}) => {
    bench.server.script(() => ({ text: 'fine' }));
    await say(session, 'something to summarize');
    await say(session, 'and something more');
    const before = bench.server.requests.length;
    bench.server.script((request) => answers(request.number - before, request));
    prepare();
    const result = await session.compact();
    return { result, asked: bench.server.requests.length - before };
  };

  test.each(rows)('$what', async ({ answers, expected, requests }) => {
    const { result, asked } = await compactUnder(answers);
    expect(result).toMatchObject(expected);
    const wanted = typeof requests === 'object' ? requests[version] : requests;
    if (wanted !== undefined) expect(asked).toBe(wanted);
  });

  test.each([
    ['an error event in the stream is failed', 50, 'the-stream-breaks', failed('provider_error')],
    ['a stream that ends early twice is asked for again', 2, undefined, completed],
    ['a stream that ends early three times is failed after two retries', 3, undefined, failed('provider_error')],
  ])('%s', async (_what, times, message, expected) => {
    const { result } = await compactUnder(always(good), () =>
      bench.server.stream(...Array.from({ length: times }, () => brokenMessage(message))),
    );
    bench.server.stream();
    expect(result).toMatchObject(expected);
  });

  test('a provider that is gone, and one that never answers, are failed', async () => {
    const other = await openClaudeBench(version, undefined, { CLAUDE_CODE_MAX_RETRIES: '1', API_TIMEOUT_MS: '2000' });
    const fresh = await other.open();
    await say(fresh, 'something to summarize');
    other.server.script(() => ({ hang: true }));
    expect(await fresh.compact()).toMatchObject(failed('provider_error'));
    await other.server.close();
    expect(await fresh.compact()).toMatchObject(failed('provider_error'));
    await other.close();
  });

  test('one that refuses the key for ever keeps Claude trying: only the waiting ends', async () => {
    const other = await openClaudeBench(version);
    const fresh = await other.open();
    await say(fresh, 'something to summarize');
    other.server.script(() => ({ status: 401, message: 'who' }));
    expect(await fresh.compact({ timeoutMs: 1_500 })).toMatchObject({ status: 'unconfirmed', reason: 'timeout', started: true });
    expect(fresh.status()).toMatchObject({ state: 'compacting' });
    await other.close();
  });

  test('none of it left anything behind: the tool did not run, each turn ended, the session works', async () => {
    await say(session, 'still there');
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'completed' });
    const records = await recordsSoFar(session);
    expect(records.filter((item) => item.type === 'tool_called')).toEqual([]);
    expect(records.filter((item) => item.type === 'gap')).toEqual([]);
  });
});
