import type { JsonObject } from '@native-compaction/transport';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, record, type Shared, say, seed } from '../../support/pi.ts';

/** Slow hooks and a hook that cancels, chosen by what the summary should look at. */
const extension = `export default function (pi) {
  pi.on('session_before_compact', async (event) => {
    if (event.customInstructions === 'SLOW-BEFORE') await new Promise((done) => setTimeout(done, 400));
    if (event.customInstructions === 'CANCEL') return { cancel: true };
    if (event.customInstructions === 'THROW') throw new Error('the hook broke');
    if (event.customInstructions === 'CUSTOM') {
      const { firstKeptEntryId, tokensBefore } = event.preparation;
      return { compaction: { summary: 'MADE-BY-THE-HOOK', firstKeptEntryId, tokensBefore } };
    }
  });
  pi.on('session_compact', async (event) => {
    if (event.compactionEntry.summary === 'SLOW-AFTER') await new Promise((done) => setTimeout(done, 300));
  });
}`;

describe.each(benches())('C1 C4 cancelling on Pi $version over $surface', (place) => {
  let bench: PiBench;
  let shared: Shared;
  let frames: { dir: string; type: unknown }[] = [];
  let trigger: { at: (dir: string, frame: JsonObject) => boolean; run: () => void } | undefined;
  beforeAll(async () => {
    const retry = { enabled: true, maxRetries: 1, baseDelayMs: 60_000 };
    bench = await openPiBench(place, undefined, { settings: { retry }, recording: 'shared' });
    bench.write('~/pi/extensions/hooks.ts', extension);
    shared = await bench.openShared({}, (dir, frame) => {
      frames.push({ dir, type: frame.type });
      if (!trigger?.at(dir, frame)) return;
      const { run } = trigger;
      trigger = undefined;
      run();
    });
  });
  afterAll(() => bench.close());

  const compactions = () => bench.entries(shared.session.nativeId).filter(({ type }) => type === 'compaction').length;
  /** What stands on disk says what happened; the next input shows that the cancel hit nothing else. */
  const witness = async (script: Parameters<typeof bench.server.script>[0], instructions?: string, delayMs?: number) => {
    const { session } = shared;
    bench.server.script(() => ({ text: 'fine' }));
    const { at, run } = trigger ?? { at: () => false, run: () => undefined };
    trigger = undefined;
    await seed(session);
    trigger = { at, run };
    frames = [];
    const before = compactions();
    bench.server.script((request) => (request.isCompaction ? script(request) : { text: 'fine' }));
    const pending = session.compact(instructions === undefined ? {} : { instructions });
    if (delayMs !== undefined) {
      await new Promise((done) => setTimeout(done, delayMs)); // the delay is what the sweep is about
      await session.abort();
    }
    const result = await pending;
    await say(session, 'the next input');
    expect(result.context).toBe(compactions() > before ? 'compacted' : 'unchanged');
    return result;
  };
  const order = () => frames.map(({ dir, type }) => `${dir} ${String(type)}`).filter((line) => /compact|abort/.test(line));

  test('C1 abort with the command: kept until our own start, and written then', async () => {
    trigger = { at: (dir, { type }) => dir === 'out' && type === 'compact', run: () => void shared.session.abort() };
    expect(await witness(() => ({ hang: true }))).toMatchObject({ status: 'aborted', by: 'caller' });
    expect(order().slice(0, 4)).toEqual(['out compact', 'in compaction_start', 'out abort', 'in compaction_end']);
  });

  test('C1 abort at the start', async () => {
    trigger = { at: (_dir, { type }) => type === 'compaction_start', run: () => void shared.session.abort() };
    expect(await witness(() => ({ hang: true }))).toMatchObject({ status: 'aborted', by: 'caller' });
  });

  test('C4 abort with the request in flight, twice', async () => {
    const asked = bench.server.next(({ isCompaction }) => isCompaction);
    void asked.then(() => Promise.all([shared.session.abort(), shared.session.abort()]));
    expect(await witness(() => ({ hang: true }))).toMatchObject({ status: 'aborted', by: 'caller' });
    expect(order().filter((line) => line === 'out abort')).toHaveLength(1);
  });

  test('C4 abort in the delay of a retry', async () => {
    trigger = { at: (_dir, { type }) => type === 'summarization_retry_scheduled', run: () => void shared.session.abort() };
    expect(await witness(() => ({ status: 500, message: 'again' }))).toMatchObject({ status: 'aborted', by: 'caller' });
  });

  test('C4 abort in a slow hook before it: one result for three native texts', async () => {
    trigger = {
      at: (_dir, { type }) => type === 'compaction_start',
      run: () => setTimeout(() => void shared.session.abort(), 100), // in the middle of the hook
    };
    expect(await witness(() => ({ text: 'SUMMARY' }), 'SLOW-BEFORE')).toMatchObject({ status: 'aborted', by: 'caller' });
  });

  test('C4 abort after the entry stands: completed', async () => {
    const asked = bench.server.next(({ isCompaction }) => isCompaction);
    void asked.then(() => setTimeout(() => void shared.session.abort(), 150)); // in the middle of the hook behind it
    expect(await witness(() => ({ text: 'SLOW-AFTER' }))).toMatchObject({ status: 'completed', summary: 'SLOW-AFTER' });
    expect(order()).toContain('out abort');
  });

  test('C4 a hook cancels: aborted, by the native side', async () => {
    expect(await witness(() => ({ text: 'SUMMARY' }), 'CANCEL')).toMatchObject({ status: 'aborted', by: 'native' });
    expect(order()).not.toContain('out abort');
  });

  test('a hook that makes the summary, and one that throws: completed', async () => {
    expect(await witness(() => ({ text: 'SUMMARY' }), 'CUSTOM')).toMatchObject({
      status: 'completed',
      summary: 'MADE-BY-THE-HOOK',
    });
    expect(await witness(() => ({ text: 'SUMMARY' }), 'THROW')).toMatchObject({ status: 'completed', summary: 'SUMMARY' });
  });

  test('C1 abort with nothing to abort, and before the gate has passed', async () => {
    const { session } = shared;
    await session.abort();
    await seed(session);
    frames = [];
    const pending = session.compact();
    await session.abort();
    expect(await pending).toMatchObject({ status: 'rejected', reason: 'aborted' });
    expect(order()).toEqual([]);
  });

  test("C1 abort never ends somebody else's compaction", async () => {
    const { session, foreign } = shared;
    bench.server.script(() => ({ text: 'fine' }));
    await seed(session);
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script(() => held.promise);
    const started = record(session, 'compaction_started', ({ origin }) => origin === 'foreign');
    const theirs = foreign('compact');
    await started;
    frames = [];
    const aborted = session.abort();
    held.resolve({ text: 'THEIRS' });
    await Promise.all([aborted, theirs]);
    expect(order()).not.toContain('out abort');
    await record(session, 'compaction_ended', ({ origin, outcome }) => origin === 'foreign' && outcome === 'completed');
  });

  test('a sweep of 30 delays from 0 to 29 ms: every result agrees with the entries on disk', async () => {
    const counts: Record<string, number> = {};
    for (let delay = 0; delay < 30; delay += 1) {
      const result = await witness(() => ({ text: 'SUMMARY' }), undefined, delay);
      expect(['completed', 'aborted', 'rejected']).toContain(result.status);
      counts[result.status] = (counts[result.status] ?? 0) + 1;
    }
    if (process.env.REPORT) console.log(`sweep on ${place.version} over ${place.surface}: ${JSON.stringify(counts)}`);
  });
});
