import type { JsonObject } from '@native-compaction/transport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, record, recordsSoFar, type Shared, say, seed } from '../../support/pi.ts';

const OVERFLOW = "This model's maximum context length is 8192 tokens, and you asked for more";

/** An extension that compacts by itself: on a command, and 20 ms after a compaction with a certain wish has begun. */
const extension = `export default function (pi) {
  pi.registerCommand('tidy', { description: 'compact', handler: async (_args, ctx) => ctx.compact({ customInstructions: 'THEIRS' }) });
  pi.on('session_before_compact', async (event, ctx) => {
    if (event.customInstructions === 'PROVOKE') setTimeout(() => ctx.compact({ customInstructions: 'THEIRS' }), 20);
  });
}`;

describe.each(benches())('R6 whose compaction it is on Pi $version over $surface', (place) => {
  let bench: PiBench;
  let shared: Shared;
  let watch: ((dir: string, frame: JsonObject) => void) | undefined;
  let written: JsonObject[];
  beforeEach(async () => {
    bench = await openPiBench(place);
    bench.write('~/pi/extensions/tidy.ts', extension);
    written = [];
    watch = undefined;
    shared = await bench.openShared({}, (dir, frame) => {
      if (dir === 'out') written.push(frame);
      watch?.(dir, frame);
    });
  });
  afterEach(() => bench.close());

  const ownWrites = (type: string) => written.filter((frame) => frame.type === type).length;
  const endings = async () =>
    (await recordsSoFar(shared.session)).flatMap((item) =>
      item.type === 'compaction_ended' ? [[item.origin, item.outcome]] : [],
    );
  const theirs = (request: { messages: readonly { text: string }[] }) =>
    request.messages.at(-1)?.text.includes('THEIRS') === true;

  test('an extension compacts before ours: busy while it runs, foreign, and ours completes after it', async () => {
    const { session } = shared;
    await seed(session);
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script((request) => (request.isCompaction ? held.promise : { text: 'fine' }));
    const asked = bench.server.next(({ isCompaction }) => isCompaction);
    const command = session.send('/tidy');
    await asked;
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    expect(ownWrites('compact')).toBe(0);
    const ended = record(session, 'compaction_ended', ({ origin }) => origin === 'foreign');
    held.resolve({ text: 'SUMMARY' });
    expect(await ended).toMatchObject({ outcome: 'completed' });
    expect(await command.ended).toBe('completed');
    bench.server.script((request) => ({ text: request.isCompaction ? 'OURS' : 'fine' }));
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed', summary: 'OURS' });
    expect(await endings()).toEqual([
      ['foreign', 'completed'],
      ['manual', 'completed'],
    ]);
  });

  test('an extension compacts during ours: ours was aborted natively, and its end settles nothing of ours', async () => {
    const { session } = shared;
    await seed(session);
    bench.server.script((request) => (theirs(request) ? { text: 'THEIR-SUMMARY' } : { hang: true }));
    const result = await session.compact({ instructions: 'PROVOKE' });
    expect(result).toMatchObject({ status: 'aborted', by: 'native', context: 'unchanged' });
    await record(session, 'compaction_ended', ({ origin }) => origin === 'foreign');
    expect(await endings()).toEqual([
      ['manual', 'aborted'],
      ['foreign', 'completed'],
    ]);
    bench.server.script(() => ({ text: 'fine' }));
    await say(session, 'it goes on');
  });

  test('an extension compacts after ours: ours is settled already', async () => {
    const { session } = shared;
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    await seed(session);
    await session.send('/tidy').ended;
    await record(session, 'compaction_ended', ({ origin }) => origin === 'foreign');
    expect(await endings()).toEqual([
      ['manual', 'completed'],
      ['foreign', 'completed'],
    ]);
  });

  test.each([0, 60, 400])('two starts before an end, theirs %d ms slower: only our answer decides', async (slower) => {
    const { session, foreign } = shared;
    await seed(session);
    bench.server.script(async (request) => {
      const wait = theirs(request) ? 40 + slower : 60;
      await new Promise((done) => setTimeout(done, wait)); // the provider's own slowness
      return { text: theirs(request) ? 'THEIR-SUMMARY' : 'OUR-SUMMARY' };
    });
    let theirsIsOver: Promise<void> | undefined;
    watch = (dir, frame) => {
      if (dir === 'out' && frame.type === 'compact') theirsIsOver = foreign('compact', { customInstructions: 'THEIRS' });
    };
    const result = await session.compact({ instructions: 'OURS' });
    watch = undefined;
    const persisted = bench.entries(session.nativeId).filter(({ type }) => type === 'compaction');
    const starts = (await recordsSoFar(session)).filter(({ type }) => type === 'compaction_started');
    expect(starts).toHaveLength(2);
    if (result.status === 'completed') {
      expect(result.summary).toBe('OUR-SUMMARY');
      expect(persisted.map(({ summary }) => summary)).toContain('OUR-SUMMARY');
    } else {
      expect(result.status === 'unconfirmed' ? result.reason : `${result.status}`).toMatch(/^(ambiguous|aborted)$/);
    }
    // One of the two may go on without a word and end in the place of the next: that is not the next one's end.
    bench.server.script((request) => ({ text: theirs(request) ? 'THEIR-SUMMARY' : 'fine' }));
    await seed(session);
    bench.server.script(async () => {
      await theirsIsOver;
      return { text: 'fine' };
    });
    const next = await session.compact();
    if (next.status === 'completed') expect(next.summary).toBe('fine');
    else expect(next).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed', summary: 'fine' });
  });

  test('a threshold compaction after a turn: automatic, in the way of ours, and settling nothing', async () => {
    const { session } = shared;
    await seed(session);
    const refused = Promise.withResolvers<unknown>();
    watch = (dir, frame) => {
      if (dir === 'in' && frame.type === 'compaction_start') queueMicrotask(() => void session.compact().then(refused.resolve));
    };
    bench.server.script((request) =>
      request.isCompaction ? { text: 'AUTOMATIC' } : { text: 'fine', usage: { inputTokens: 199_900, outputTokens: 1 } },
    );
    await say(session, `a big turn ${'word '.repeat(40)}`);
    watch = undefined;
    expect(await refused.promise).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    expect(ownWrites('compact')).toBe(0);
    expect(await endings()).toEqual([['automatic', 'completed']]);
    bench.server.script(() => ({ text: 'OURS' }));
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed', summary: 'OURS' });
  });

  test('a threshold compaction before a prompt is taken: automatic, and the prompt is delivered once', async () => {
    const { session, foreign } = shared;
    foreign('set_auto_compaction', { enabled: false });
    await say(session, `first ${'word '.repeat(40)}`);
    bench.server.script((request) => ({
      text: request.isCompaction ? 'AUTOMATIC' : 'fine',
      usage: { inputTokens: 199_900, outputTokens: 1 },
    }));
    await say(session, `a big turn ${'word '.repeat(40)}`);
    foreign('set_auto_compaction', { enabled: true });
    bench.server.script(() => ({ text: 'fine' }));
    const order: string[] = [];
    session.on('record', ({ type }) => void order.push(type));
    await say(session, 'behind the threshold');
    expect(order.filter((type) => /^(compaction_(started|ended)|input_received|turn_started)$/.test(type))).toEqual([
      'compaction_started',
      'compaction_ended',
      'input_received',
      'turn_started',
    ]);
    expect(bench.server.requests.filter(({ messages }) => messages.at(-1)?.text === 'behind the threshold')).toHaveLength(1);
  });

  test('an overflow inside a turn, and a second one that ends without a start', async () => {
    const { session } = shared;
    await seed(session);
    bench.server.script((request) => (request.isCompaction ? { text: 'AUTOMATIC' } : { status: 400, message: OVERFLOW }));
    expect(await session.send(`too much ${'word '.repeat(40)}`).ended).toBe('failed');
    expect(await endings()).toEqual([
      ['automatic', 'completed'],
      ['automatic', 'failed'],
    ]);
    const starts = (await recordsSoFar(session)).filter(({ type }) => type === 'compaction_started');
    expect(starts).toHaveLength(1);
    bench.server.script(() => ({ text: 'OURS' }));
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed', summary: 'OURS' });
  });
});
