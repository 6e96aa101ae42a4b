import { createPiSdkRuntime } from '@native-compaction/pi/sdk';
import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, record, recordsSoFar, type Shared, say, seed } from '../../support/pi.ts';

const extension = `export default function (pi) {
  pi.registerCommand('fresh', { description: 'a new session', handler: async (_args, ctx) => { await ctx.newSession(); } });
}`;

/** A compaction of ours whose summary never comes. */
async function hanging(bench: PiBench, shared: Shared) {
  bench.server.script(() => ({ text: 'fine' }));
  await seed(shared.session);
  bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
  const asked = bench.server.next(({ isCompaction }) => isCompaction);
  const pending = shared.session.compact();
  await asked;
  return { pending };
}

describe.each(benches(['rpc']))('R5 the end of a Pi $version process', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test.each(['stdin', 'SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'R5 %s in a compaction: unconfirmed, and the session resumes',
    async (how) => {
      bench = await openPiBench(place);
      const late: JsonObject[] = [];
      const shared = await bench.openShared(
        {},
        (dir, frame) => void (dir === 'in' && frame.command === 'compact' && late.push(frame)),
      );
      const { session, pid } = shared;
      const { pending } = await hanging(bench, shared);
      const held = session.send('held');
      if (how === 'stdin') void shared.endInput();
      else process.kill(pid, how);
      const result = await pending;
      expect(result).toMatchObject({ status: 'unconfirmed', context: 'unknown', started: true });
      expect(['no_evidence', 'process_exit']).toContain(result.status === 'unconfirmed' && result.reason);
      await record(session, 'session_closed');
      expect(await held.ended).not.toBe('completed');
      if (how === 'stdin') expect(late).toMatchObject([{ success: false }]);
      expect(bench.entries(session.nativeId).some(({ type }) => type === 'compaction')).toBe(false);
      const resumed = await bench.open({ resume: session.nativeId });
      bench.server.script(() => ({ text: 'fine' }));
      expect(await resumed.compact()).toMatchObject({ status: 'completed' });
      await say(resumed, 'and on');
    },
  );

  test('R5 disposed in a compaction: unconfirmed at once, and the late answer is recorded, not applied', async () => {
    bench = await openPiBench(place);
    const shared = await bench.openShared();
    const { pending } = await hanging(bench, shared);
    const disposal = shared.session.dispose();
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'disposed', started: true });
    await disposal;
    const late = (await recordsSoFar(shared.session)).filter(({ type }) => type === 'late_frame');
    expect(late).toMatchObject([{ native: { command: 'compact', success: false } }]);
  });

  test('a new session that an extension asks for waits for the slot, and is told of', async () => {
    bench = await openPiBench(place);
    bench.write('~/pi/extensions/fresh.ts', extension);
    const shared = await bench.openShared();
    const { session } = shared;
    const before = session.nativeId;
    await seed(session);
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script((request) => (request.isCompaction ? held.promise : { text: 'fine' }));
    const asked = bench.server.next(({ isCompaction }) => isCompaction);
    const pending = session.compact();
    await asked;
    const command = session.send('/fresh');
    expect(session.nativeId).toBe(before);
    held.resolve({ text: 'SUMMARY' });
    expect(await pending).toMatchObject({ status: 'completed' });
    expect(await command.ended).toBe('completed');
    expect(session.nativeId).not.toBe(before);
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test.each(['new_session', 'switch_session'])("%s of somebody else's in a compaction: aborted natively", async (type) => {
    bench = await openPiBench(place);
    const first = await bench.open();
    await seed(first);
    await first.dispose();
    const shared = await bench.openShared();
    const { pending } = await hanging(bench, shared);
    const [sessionPath] = bench.files().filter((file) => file.includes(first.nativeId ?? '?'));
    const before = shared.session.nativeId;
    const identified = record(shared.session, 'session_identified');
    void shared.foreign(type, type === 'new_session' ? {} : { sessionPath });
    expect(await pending).toMatchObject({ status: 'aborted', by: 'native', context: 'unchanged' });
    expect((await identified).nativeId).not.toBe(before);
    if (type === 'switch_session') expect(shared.session.nativeId).toBe(first.nativeId);
  });
});

describe.each(benches(['sdk']))('R5 the end of a session in process on Pi $version', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test('R5 disposed before the dispatch, during and after: one result each, nothing is thrown, and the late promise is observed', async () => {
    bench = await openPiBench(place);
    const loose: unknown[] = [];
    const onLoose = (error: unknown) => void loose.push(error);
    process.on('unhandledRejection', onLoose);
    for (const moment of ['before', 'during', 'after'] as const) {
      bench.server.script(() => ({ text: 'fine' }));
      const session = await bench.open();
      await seed(session);
      bench.server.script(() => (moment === 'during' ? { hang: true } : { text: 'SUMMARY' }));
      const asked = bench.server.next();
      const pending = session.compact();
      if (moment === 'during') await asked;
      if (moment === 'after') expect(await pending).toMatchObject({ status: 'completed' });
      await session.dispose();
      const expected = { before: 'rejected', during: 'unconfirmed', after: 'completed' }[moment];
      expect((await pending).status).toBe(expected);
      const late = (await recordsSoFar(session)).filter(({ type }) => type === 'late_frame');
      expect(late).toHaveLength(moment === 'during' ? 1 : 0);
      expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'closed' });
      expect(await session.send('too late').ended).toBe('undelivered');
    }
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', onLoose);
    expect(loose).toEqual([]);
  });

  test("dispose of an attached session only unsubscribes: the host's own goes on, and so does its compaction", async () => {
    bench = await openPiBench(place);
    const shared = await bench.openShared();
    const { session, native } = shared;
    await seed(session);
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script((request) => (request.isCompaction ? held.promise : { text: 'fine' }));
    const asked = bench.server.next(({ isCompaction }) => isCompaction);
    const pending = session.compact();
    await asked;
    await session.dispose();
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'disposed' });
    expect(native?.isCompacting).toBe(true);
    const ended = new Promise<void>((resolve) => native?.subscribe(({ type }) => void (type === 'compaction_end' && resolve())));
    held.resolve({ text: 'SUMMARY' });
    await ended;
    await native?.prompt('the host goes on');
    expect(bench.server.requests.at(-1)?.messages.at(-1)?.text).toBe('the host goes on');
  });

  test('the host disposes of its session in our compaction: unconfirmed', async () => {
    bench = await openPiBench(place);
    const shared = await bench.openShared();
    const { pending } = await hanging(bench, shared);
    await shared.endInput();
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'process_exit', started: true });
  });

  test('listeners of the host that throw, on Pi and on ours, do not change what is proven', async () => {
    bench = await openPiBench(place);
    const { session, native } = await bench.openShared();
    session.on('record', ({ type }) => {
      if (type === 'compaction_ended') throw new Error('a listener of the host, on ours');
    });
    await seed(session);
    const stop = native?.subscribe(({ type }) => {
      if (type === 'compaction_end') throw new Error('a listener of the host, on Pi');
    });
    expect(await session.compact()).toMatchObject({ status: 'completed', context: 'compacted' });
    stop?.();
    expect(bench.entries(session.nativeId).filter(({ type }) => type === 'compaction')).toHaveLength(1);
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    const closing = native?.subscribe(({ type }) => {
      if (type === 'compaction_start') throw new Error('a listener of the host, on Pi');
    });
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence', started: true });
    closing?.();
    // Pi itself takes its session for compacting from now on, and so do we.
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
  });

  test('R6 attached in the middle of a run or a compaction: busy until it is over', async () => {
    bench = await openPiBench(place);
    const first = await bench.openShared();
    await seed(first.session);
    await first.session.dispose();
    const { native } = first;
    if (!native) throw new Error('no native session');
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script(() => held.promise);
    const asked = bench.server.next();
    const theirs = native.compact();
    await asked;
    const session = await bench.attach(native);
    expect(session.status().state).toBe('compacting');
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    held.resolve({ text: 'THEIRS' });
    await theirs;
    await say(session, 'ours again');
  });

  test('one runtime does not take a session twice', async () => {
    bench = await openPiBench(place);
    const { native } = await bench.openShared();
    if (!native) throw new Error('no native session');
    const runtime = createPiSdkRuntime();
    const session = await runtime.attach(native);
    await expect(runtime.attach(native)).rejects.toMatchObject({ code: 'session_held' });
    await session.dispose();
    await (await runtime.attach(native)).dispose();
    await expect(runtime.open()).rejects.toMatchObject({ code: 'invalid_options' });
  });

  test("a host's listener that is before ours and throws on the end hides it: unconfirmed, and the session goes on", async () => {
    bench = await openPiBench(place);
    const first = await bench.openShared();
    await seed(first.session);
    await first.session.dispose();
    const stop = first.native?.subscribe(({ type }) => {
      if (type === 'compaction_end') throw new Error('a listener of the host, before ours');
    });
    if (!first.native) throw new Error('no native session');
    const session = await bench.attach(first.native);
    expect(await session.compact()).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence', started: true });
    stop?.();
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });
});
