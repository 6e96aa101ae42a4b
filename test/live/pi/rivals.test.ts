import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, record, seed } from '../../support/pi.ts';

/** Lets prompts through together, so that Pi begins a run for each of them and all but one cannot (1.4.0 to 1.6.0). */
const together = (count: number) => `let seen = 0, go; const all = new Promise((resolve) => { go = resolve; });
  pi.on('input', async ({ text }) => {
    if (!/^(OURS|THEIRS)/.test(text)) return;
    if (++seen === ${count}) go();
    await all;
  });`;
const slowStart = `pi.on('agent_start', async () => { await new Promise((resolve) => setTimeout(resolve, 100)); });`;
/** An extension sends a message of its own and both are let through together, ours `turns` microtasks behind it. */
const joins = (turns: number) => `let go; const both = new Promise((resolve) => { go = resolve; });
  pi.on('input', async ({ text }) => {
    if (text === 'OURS') setImmediate(() => { if (go) pi.sendUserMessage('THEIRS'); });
    if (text === 'THEIRS') { go(); go = undefined; }
    if (text !== 'OURS' && text !== 'THEIRS') return;
    await both;
    if (text === 'OURS') for (let turn = 0; turn < ${turns}; turn += 1) await undefined;
  });`;

describe.each(benches())('runs that begin at once on Pi $version over $surface', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  /** A session, how often Pi said that it is settled, and a provider that answers when it is let go. */
  const openRivals = async (extension: string) => {
    bench = await openPiBench(place);
    bench.write('~/pi/extensions/rivals.ts', `export default function (pi) { ${extension} }`);
    const settled: { count: number; resolve: () => void }[] = [];
    let count = 0;
    const shared = await bench.openShared({}, (_dir, { type }) => {
      if (type !== 'agent_settled') return;
      count += 1;
      for (const waiter of settled) if (waiter.count <= count) waiter.resolve();
    });
    await seed(shared.session);
    // In process the library is still inside the end of the last run for one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const before = count;
    const from = bench.server.requests.length;
    const released = Promise.withResolvers<void>();
    bench.server.script(async ({ isCompaction }) => {
      await released.promise;
      return { text: isCompaction ? 'SUMMARY' : 'fine' };
    });
    return {
      ...shared,
      release: () => released.resolve(),
      /** Pi 1.4.0 and 1.5.0 say nothing of a run that could not begin. */
      settledTimes: (times: number) =>
        new Promise<void>((resolve) => {
          if (place.version !== '1.6.0') resolve();
          settled.push({ count: before + times, resolve });
          if (count >= before + times) resolve();
        }),
      asked: () => bench.server.requests.slice(from).map(({ messages }) => messages.at(-1)?.text),
    };
  };

  test.each([
    ['OURS THEIRS', together(2)],
    ['THEIRS OURS', together(2)],
    ['THEIRS1 OURS THEIRS2', together(3)],
    ['OURS THEIRS1 THEIRS2', together(3)],
    ['OURS THEIRS', `${together(2)} ${slowStart}`],
    ['THEIRS OURS', `${together(2)} ${slowStart}`],
  ])('S2 R6 %s (%#): a settle of the one that could not begin ends and sends nothing of ours', async (order, extension) => {
    const { session, foreign, release, settledTimes, asked } = await openRivals(extension);
    const request = bench.server.next();
    const ends: string[] = [];
    const inputs = order.split(' ').flatMap((text) => {
      if (text === 'OURS') return ['OURS', 'NEXT'].map((own) => session.send(own));
      void foreign('prompt', { message: text });
      return [];
    });
    for (const { ended } of inputs) void ended.then((outcome) => ends.push(outcome));
    await Promise.all([request, settledTimes(order.split(' ').length - 1)]);
    // Nobody's run is over yet: Pi was told to answer nothing.
    expect(await session.compact()).toMatchObject({ status: 'rejected' });
    expect(session.status().state).toBe('running');
    expect(ends).toEqual([]);
    expect(asked()).toHaveLength(1);
    release();
    expect(await Promise.all(inputs.map(({ ended }) => ended))).toEqual(['completed', 'completed']);
    expect(asked().filter((text) => text === 'OURS')).toHaveLength(1);
    expect(asked().filter((text) => text === 'NEXT')).toHaveLength(1);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test('G4 two of somebody else: Pi takes itself for idle while one of them runs, and the gate does not', async () => {
    const { session, foreign, release, settledTimes, asked } = await openRivals(together(2));
    const request = bench.server.next();
    void foreign('prompt', { message: 'THEIRS1' });
    void foreign('prompt', { message: 'THEIRS2' });
    await Promise.all([request, settledTimes(1)]);
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    const behind = session.send('BEHIND');
    const { seq: now } = session.checkpoint().cursor;
    const ended = record(session, 'turn_ended', ({ seq }) => seq > now);
    release();
    expect(await ended).toMatchObject({ outcome: 'completed' });
    expect(await behind.ended).toBe('completed');
    expect(asked()).toEqual([expect.stringMatching(/^THEIRS\d$/), 'BEHIND']);
  });

  test.each([0, 1, 2, 3])(
    'S2 one of an extension, %d microtasks before ours: ours comes once, or is not said to',
    async (turns) => {
      const extension = joins(turns);
      const { session, release, asked } = await openRivals(extension);
      release();
      const inputs = ['OURS', 'NEXT'].map((text) => session.send(text));
      const [ours, next] = await Promise.all(inputs.map(({ ended }) => ended));
      const times = asked().filter((text) => text === 'OURS').length;
      // Over RPC Pi does not say whose run could not begin where no message tells; in process the promise of ours does.
      const isTold = place.surface === 'sdk' || ours !== 'unconfirmed';
      expect([ours, times]).toEqual(isTold ? ['completed', 1] : ['unconfirmed', 0]);
      expect(next).toBe('completed');
      expect(asked().filter((text) => text === 'NEXT')).toHaveLength(1);
    },
  );
});
