import { readFileSync } from 'node:fs';
import type { CompactionResult, Session } from '@native-compaction/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, record, recordsSoFar, say, seed } from '../../support/pi.ts';

const SUMMARY = 'SUMMARY-OF-IT';

/** Pi's own client gives a command up after 30 s. These start first, and the other tests run beside them. */
const SLOW_MS = 36_000;
const slow = new Map<string, Promise<[CompactionResult, number]>>();
const slowBenches: PiBench[] = [];
beforeAll(async () => {
  for (const place of benches(['rpc'])) {
    const bench = await openPiBench(place, undefined, { recording: 'slow' });
    slowBenches.push(bench);
    const session = await bench.open();
    await seed(session);
    bench.server.script(() => new Promise((done) => setTimeout(done, SLOW_MS, { text: 'SLOW-SUMMARY' })));
    const start = performance.now();
    slow.set(
      place.version,
      session.compact().then((result) => [result, performance.now() - start]),
    );
  }
});
afterAll(() => Promise.all(slowBenches.map((bench) => bench.close())));

describe.each(benches())('R8 what a compaction on Pi $version over $surface comes to', ({ version, surface }) => {
  let bench: PiBench;
  let session: Session;
  beforeAll(async () => {
    bench = await openPiBench({ version, surface }, undefined, { recording: 'shared' });
    session = await bench.open();
  });
  afterAll(() => bench.close());

  const requests = () => bench.server.requests.filter(({ isCompaction }) => isCompaction);
  const compactions = () => bench.entries(session.nativeId).filter(({ type }) => type === 'compaction').length;
  /** New history, and the summary as the script says; the entries on disk are the witness. */
  const compact = async (reply: Parameters<typeof bench.server.script>[0], instructions?: string) => {
    bench.server.script((request) => (request.isCompaction ? reply(request) : { text: 'fine' }));
    await seed(session);
    const before = compactions();
    const result = await session.compact(instructions === undefined ? {} : { instructions });
    if (result.context === 'unchanged') expect(compactions()).toBe(before);
    if (result.context === 'compacted') expect(compactions()).toBe(before + 1);
    return result;
  };

  test('nothing to compact: a failure that Pi names, and no request', async () => {
    const result = await session.compact();
    expect(result).toMatchObject({ status: 'failed', reason: 'native_failed', hint: 'nothing_to_compact', context: 'unchanged' });
    expect(requests()).toHaveLength(0);
  });

  test('completed, with instructions, summary, tokens and the frames that prove it', async () => {
    const result = await compact(() => ({ text: SUMMARY }), 'FOCUS-ON-THIS');
    expect(result).toMatchObject({ status: 'completed', context: 'compacted', summary: SUMMARY, vendorVersion: version });
    expect(result.status === 'completed' && result.tokens?.before).toBeGreaterThan(0);
    expect(requests().at(-1)?.messages.at(-1)?.text).toMatch(/Additional focus: FOCUS-ON-THIS$/);
    expect(result.evidence.map(({ kind }) => kind)).toEqual([
      'dispatched',
      'compaction_start',
      'compaction_end_completed',
      'response',
    ]);
    const answer = session.frame(result.evidence[3]?.frame ?? 0)?.native;
    expect(answer).toMatchObject({ type: 'response', command: 'compact', success: true });
    expect((answer as { adapterMade?: boolean }).adapterMade).toBe(surface === 'sdk' ? true : undefined);
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'completed' });
  });

  test('already compacted', async () => {
    await compact(() => ({ text: SUMMARY }));
    const before = requests().length;
    expect(await session.compact()).toMatchObject({ status: 'failed', hint: 'nothing_to_compact', context: 'unchanged' });
    expect(requests()).toHaveLength(before);
  });

  test('an empty summary is completed natively, and is passed through', async () => {
    expect(await compact(() => ({ text: '' }))).toMatchObject({ status: 'completed', summary: '' });
  });

  test.each([400, 401, 429, 500])('%d from the provider: failed, in its own words', async (status) => {
    const result = await compact(() => ({ status, message: `no, says ${status}` }));
    expect(result).toMatchObject({ status: 'failed', hint: 'provider_error', context: 'unchanged' });
    expect(result.status === 'failed' && result.message).toContain(`no, says ${status}`);
  });

  test('a connection that breaks before and in the summary', async () => {
    expect(await compact(() => ({ text: SUMMARY, cut: 0 }))).toMatchObject({ status: 'failed', context: 'unchanged' });
    expect(await compact(() => ({ text: SUMMARY.repeat(40), cut: 2 }))).toMatchObject({ status: 'failed', context: 'unchanged' });
  });

  test('a summary that is cut off by its length, and one that calls a tool', async () => {
    expect(await compact(() => ({ text: SUMMARY, stopReason: 'length' }))).toMatchObject({ status: 'failed' });
    expect(await compact(() => ({ tool: 'bash', input: { command: 'true' } }))).toMatchObject({ status: 'failed' });
  });

  test('a split turn: two requests with the instructions, one result; and a second half that fails', async () => {
    const works = (half: () => { text: string } | { status: number; message: string }) => {
      let calls = 0;
      let halves = 0;
      bench.server.script((request) => {
        if (request.isCompaction) {
          halves += 1;
          return halves === 1 ? { text: 'HALF-ONE' } : half();
        }
        calls += 1;
        return calls <= 3 ? { tool: 'bash', input: { command: `echo out${calls}` } } : { text: 'done' };
      });
    };
    for (const [half, expected] of [
      [() => ({ text: 'HALF-TWO' }), { status: 'completed' }],
      [() => ({ status: 400, message: 'no second half' }), { status: 'failed', context: 'unchanged' }],
    ] as const) {
      bench.server.script(() => ({ text: 'fine' }));
      await seed(session);
      works(half);
      await say(session, `use tools ${'word '.repeat(40)}`);
      const before = requests().length;
      const result = await session.compact({ instructions: 'BOTH-HALVES' });
      expect(result).toMatchObject(expected);
      const halves = requests().slice(before);
      expect(halves).toHaveLength(2);
      if (result.status === 'completed') expect(result.summary).toMatch(/HALF-ONE[\s\S]*HALF-TWO/);
      expect(halves[0]?.messages.at(-1)?.text).toContain('BOTH-HALVES');
      expect(halves[1]?.messages.at(-1)?.text).toContain('BOTH-HALVES');
    }
    const tools = (await recordsSoFar(session)).filter(({ type }) => type === 'tool_called' || type === 'tool_result');
    expect(tools).toContainEqual(expect.objectContaining({ type: 'tool_result', isError: false, text: 'out1\n' }));
  });

  test('a turn that failed, and one that was aborted, before: completed', async () => {
    bench.server.script(() => ({ status: 400, message: 'no turn' }));
    expect(await session.send(`bad ${'word '.repeat(40)}`).ended).toBe('failed');
    expect(session.status().lastOutcome).toBe('failed');
    expect(await compact(() => ({ text: SUMMARY }))).toMatchObject({ status: 'completed' });
    bench.server.script(() => ({ text: 'fine' }));
    await seed(session);
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next();
    const hanging = session.send('hang');
    await asked;
    await session.abort();
    expect(await hanging.ended).toBe('aborted');
    bench.server.script(() => ({ text: SUMMARY }));
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    // T4: Pi's idle keeps the preceding turn's outcome through a compaction.
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'aborted' });
  });
});

describe.each(benches())('R8 T7 retries on Pi $version over $surface', (place) => {
  let bench: PiBench;
  beforeAll(async () => {
    const retry = { enabled: true, maxRetries: 2, baseDelayMs: 20 };
    bench = await openPiBench(place, undefined, { settings: { retry }, recording: 'retries' });
  });
  afterAll(() => bench.close());

  test.each([
    [1, 'completed'],
    [9, 'failed'],
  ])('500 %d times: progress, and then %s', async (times, status) => {
    const session = await bench.open();
    await seed(session);
    let left = times;
    bench.server.script(() => {
      left -= 1;
      return left >= 0 ? { status: 500, message: 'try again' } : { text: SUMMARY };
    });
    const progress = record(session, 'compaction_progress', ({ detail, origin }) => detail === 'retry' && origin === 'manual');
    expect(await session.compact({ requestId: 'R' })).toMatchObject({ status });
    expect(await progress).toMatchObject({ requestId: 'R' });
  });
});

describe.each(benches())('R8 no model and no key on Pi $version over $surface', (place) => {
  let bench: PiBench;
  beforeAll(async () => {
    bench = await openPiBench(place, undefined, { recording: 'unconfigured' });
  });
  afterAll(() => bench.close());

  test.each(['no model', 'no key'])('%s: failed, without a request', async (what) => {
    const models = JSON.parse(readFileSync(`${bench.home}/pi/models.json`, 'utf8'));
    const first = await bench.open();
    await seed(first);
    await first.dispose();
    const { lab } = models.providers;
    bench.write('~/pi/models.json', { providers: what === 'no model' ? {} : { lab: { ...lab, apiKey: '$LAB_NO_SUCH_KEY' } } });
    const resumed = await bench.open({ resume: first.nativeId, model: undefined });
    const before = bench.server.requests.length;
    const result = await resumed.compact();
    expect(result).toMatchObject({ status: 'failed', context: 'unchanged' });
    expect(JSON.stringify(result)).not.toContain(bench.home);
    expect(await resumed.send('hello').ended).toBe('undelivered');
    const [refused] = (await recordsSoFar(resumed)).filter(({ type }) => type === 'input_ended');
    expect(refused).toMatchObject({ outcome: 'undelivered', message: expect.stringMatching(/model|API key/) });
    expect(bench.server.requests).toHaveLength(before);
    bench.write('~/pi/models.json', models);
  });
});

describe.each(benches(['rpc']))('a slow summary on Pi $version', ({ version }) => {
  test('R3 no hidden deadline: one that takes 36 s, with no option set, completes', async () => {
    const [result, tookMs] = (await slow.get(version)) ?? [];
    expect(result).toMatchObject({ status: 'completed', summary: 'SLOW-SUMMARY' });
    expect(tookMs).toBeGreaterThan(SLOW_MS - 100);
  });
});
