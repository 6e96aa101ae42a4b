import { DEFAULT_SUMMARY, type Reply } from '@native-compaction/conformance';
import type { CompactionResult } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, openWired, say, type Wired } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

/** The moments of one compaction at which a cancel may be written, by the frame that tells of it. */
const moments: Record<string, (dir: string, frame: JsonObject) => boolean> = {
  'with the command': (dir, frame) =>
    dir === 'out' && String((frame.message as JsonObject | undefined)?.content).startsWith('/compact'),
  'on queued': (_dir, frame) => frame.state === 'queued',
  'on started': (_dir, frame) => frame.state === 'started',
  'on compacting': (_dir, frame) => frame.status === 'compacting',
  'on success': (_dir, frame) => frame.compact_result === 'success',
  'on the boundary': (_dir, frame) => frame.subtype === 'compact_boundary',
  'on the result': (_dir, frame) => frame.type === 'result',
};
const failed = { status: 'failed', reason: 'native_failed', context: 'unchanged' };
const interrupt = (id: string, extra: JsonObject = {}): JsonObject => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'interrupt', ...extra },
});

describe.each(versionsOf('claude'))('C1 C2 cancelling on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  let wired: Wired;
  /** Called once, at the named moment of the compaction that is open. */
  let trigger: { at: (dir: string, frame: JsonObject) => boolean; run: () => void } | undefined;

  beforeAll(async () => {
    bench = await openClaudeBench(version);
    wired = await openWired(bench, {
      watch(dir, frame) {
        if (!trigger?.at(dir, frame)) return;
        const { run } = trigger;
        trigger = undefined;
        run();
      },
    });
  });
  afterAll(() => bench.close());
  afterEach(() => {
    trigger = undefined;
  });

  const boundaries = () =>
    bench.transcript(wired.session.nativeId ?? '').filter((row) => row.subtype === 'compact_boundary').length;
  const asked = () => bench.server.requests.filter((request) => request.isCompaction).length;
  /** What the provider and the transcript say happened, and nothing else. */
  const compactAndWitness = async (run: () => Promise<CompactionResult>, reply: Reply = { text: DEFAULT_SUMMARY }) => {
    bench.server.script((request) => (request.isCompaction ? reply : { text: 'fine' }));
    await say(wired.session, 'something to summarize');
    const before = { boundaries: boundaries(), asked: asked() };
    const result = await run();
    bench.server.script(() => ({ text: 'fine' }));
    const next = wired.session.send('the next input');
    expect([await next.delivered, await next.ended]).toEqual(['delivered', 'completed']);
    expect(bench.server.requests.at(-1)?.messages.at(-1)?.text).toContain('the next input');
    return { result, isCompacted: boundaries() > before.boundaries, wasAsked: asked() > before.asked };
  };
  const agree = ({ result, isCompacted, wasAsked }: Awaited<ReturnType<typeof compactAndWitness>>) => {
    expect(result.status).not.toBe('unconfirmed');
    expect(result.status === 'completed', JSON.stringify(result)).toBe(isCompacted);
    expect(result.context).toBe(isCompacted ? 'compacted' : 'unchanged');
    if (result.status === 'aborted') expect(wasAsked).toBe(false);
  };
  const abortAt = (moment: string) => () => {
    trigger = { at: moments[moment] ?? (() => false), run: () => void wired.session.abort() };
    return wired.session.compact();
  };

  test.each([
    ['with the command', { status: 'aborted', by: 'caller' }],
    ['on success', { status: 'completed' }],
    ['on the boundary', { status: 'completed' }],
    ['on the result', { status: 'completed' }],
  ])('C1 C2 abort %s', async (moment, expected) => {
    const witnessed = await compactAndWitness(abortAt(moment));
    agree(witnessed);
    expect(witnessed.result).toMatchObject(expected);
  });

  test.each(['on queued', 'on started', 'on compacting'])(
    'C2 abort %s: aborted if it had not started, else what Claude says',
    async (moment) => {
      const witnessed = await compactAndWitness(abortAt(moment), { hang: true });
      agree(witnessed);
      expect(witnessed.result.status).toBe(
        witnessed.result.evidence.some(({ kind }) => kind === 'started') ? 'failed' : 'aborted',
      );
    },
  );

  test.each([
    ['with the request in flight', { hang: true } as Reply],
    ['in the middle of the summary', { text: DEFAULT_SUMMARY.repeat(40), stall: 6 } as Reply],
  ])('C2 abort %s is failed', async (_moment, reply) => {
    const witnessed = await compactAndWitness(async () => {
      const asking = bench.server.next((request) => request.isCompaction);
      const pending = wired.session.compact();
      await asking;
      await wired.session.abort();
      return pending;
    }, reply);
    agree(witnessed);
    expect(witnessed.result).toMatchObject(failed);
  });

  test('S2 C3 an input held during a cancelled compaction follows it, whatever its outcome', async () => {
    let held: Promise<string> | undefined;
    const witnessed = await compactAndWitness(
      async () => {
        const asking = bench.server.next((request) => request.isCompaction);
        const pending = wired.session.compact();
        held = wired.session.send('held meanwhile').ended;
        await asking;
        await wired.session.abort();
        return pending;
      },
      { hang: true },
    );
    expect(witnessed.result).toMatchObject(failed);
    expect(await held).toBe('completed');
  });

  test('two aborts and an abort of the turn before it harm nothing', async () => {
    bench.server.script(() => ({ hang: true }));
    const asking = bench.server.next();
    const turn = wired.session.send('a long turn');
    await asking;
    await Promise.all([wired.session.abort(), wired.session.abort()]);
    expect(await turn.ended).toBe('aborted');
    const witnessed = await compactAndWitness(() => wired.session.compact());
    agree(witnessed);
    expect(witnessed.result.status).toBe('completed');
  });

  test.each([
    [
      'an interrupt of somebody else with the queue',
      () => interrupt('other-1', { cancel_queued: true }),
      { status: 'aborted', by: 'native' },
    ],
    [
      'cancel_async_message for our uuid',
      (uuid: string) => ({
        type: 'control_request',
        request_id: 'other-2',
        request: { subtype: 'cancel_async_message', message_uuid: uuid },
      }),
      { status: 'aborted', by: 'native' },
    ],
  ])('C4 %s, written with the command', async (_what, frame, expected) => {
    const witnessed = await compactAndWitness(() => {
      let uuid = '';
      trigger = {
        at(dir, written) {
          uuid = String(written.uuid);
          return moments['with the command']?.(dir, written) ?? false;
        },
        run: () => wired.write(frame(uuid)),
      };
      return wired.session.compact();
    });
    agree(witnessed);
    expect(witnessed.result).toMatchObject(expected);
  });

  test('a plain interrupt written with the command may be lost or not: the result says which', async () => {
    for (let round = 0; round < 5; round += 1) {
      const witnessed = await compactAndWitness(() => {
        trigger = { at: moments['with the command'] ?? (() => false), run: () => wired.write(interrupt(`plain-${round}`)) };
        return wired.session.compact();
      });
      agree(witnessed);
    }
  });

  test('cancel_async_message after the start has no effect', async () => {
    const witnessed = await compactAndWitness(() => {
      const request = { subtype: 'cancel_async_message', message_uuid: '' };
      trigger = {
        at: moments['on compacting'] ?? (() => false),
        run: () => wired.write({ type: 'control_request', request_id: 'late-1', request }),
      };
      return wired.session.compact();
    });
    agree(witnessed);
    expect(witnessed.result.status).toBe('completed');
  });

  test('an interrupt on an idle session does not touch a later compaction', async () => {
    wired.write(interrupt('idle-1'));
    const witnessed = await compactAndWitness(() => wired.session.compact());
    agree(witnessed);
    expect(witnessed.result.status).toBe('completed');
  });

  test('a message of priority "now" from somebody else cancels it: failed, and never completed', async () => {
    const uuid = crypto.randomUUID();
    const before = boundaries();
    bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    await say(wired.session, 'something to summarize');
    const asking = bench.server.next((request) => request.isCompaction);
    const pending = wired.session.compact();
    await asking;
    const message = { role: 'user', content: 'now!' };
    wired.write({ type: 'user', uuid, session_id: '', parent_tool_use_id: null, priority: 'now', message });
    expect(await pending).toMatchObject(failed);
    await say(wired.session, 'the next input');
    expect(boundaries()).toBe(before);
  });

  test('C1 a sweep of 30 delays from 0 to 29 ms: every result agrees with provider and transcript, none is unconfirmed', async () => {
    const counts: Record<string, number> = {};
    for (let delay = 0; delay < 30; delay += 1) {
      const witnessed = await compactAndWitness(async () => {
        const pending = wired.session.compact();
        const dispatched = Promise.withResolvers<void>();
        trigger = { at: moments['with the command'] ?? (() => false), run: dispatched.resolve };
        await dispatched.promise;
        await new Promise((done) => setTimeout(done, delay)); // the delay is what the sweep is about
        await wired.session.abort();
        return pending;
      });
      agree(witnessed);
      counts[witnessed.result.status] = (counts[witnessed.result.status] ?? 0) + 1;
    }
    if (process.env.REPORT) console.log(`sweep on ${version}: ${JSON.stringify(counts)}`);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(30);
  });
});
