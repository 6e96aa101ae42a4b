import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, recordsSoFar, say, seed } from '../../support/pi.ts';

/** Extensions that begin a run of their own, once, where an input of ours would come next. */
const runs = {
  'sends a user message in agent_settled': `let n = 0;
    pi.on('agent_settled', async () => { if (n++ === 2) pi.sendUserMessage('THEIRS'); });`,
  'triggers a turn in agent_settled': `let n = 0;
    pi.on('agent_settled', async () => {
      if (n++ === 2) pi.sendMessage({ customType: 'x', content: 'THEIRS', display: true }, { triggerTurn: true });
    });`,
  'triggers a turn in session_compact': `let n = 0;
    pi.on('session_compact', async () => {
      if (n++ === 0) pi.sendMessage({ customType: 'x', content: 'THEIRS', display: true }, { triggerTurn: true });
    });`,
};

describe.each(benches())('runs of an extension on Pi $version over $surface', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test.each(Object.entries(runs))('S2 one that %s: our inputs come behind it, in order, each once', async (what, extension) => {
    bench = await openPiBench(place);
    bench.write('~/pi/extensions/theirs.ts', `export default function (pi) { ${extension} }`);
    const { session } = await bench.openShared();
    await seed(session);
    const before = bench.server.requests.length;
    const pending = what.endsWith('session_compact') ? session.compact() : undefined;
    const texts = ['A', 'B', 'C', 'D', 'E', 'F'];
    const inputs = texts.map((text) => session.send(text));
    if (pending) expect((await pending).status).toBe('completed');
    expect(await Promise.all(inputs.map(({ ended }) => ended))).toEqual(texts.map(() => 'completed'));
    expect(await Promise.all(inputs.map(({ delivered }) => delivered))).toEqual(texts.map(() => 'delivered'));
    const asked = bench.server.requests.slice(before).filter(({ isCompaction }) => !isCompaction);
    const last = asked.map(({ messages }) => messages.at(-1)?.text);
    expect(last.filter((text) => text !== 'THEIRS')).toEqual(texts);
    expect(last).toContain('THEIRS');
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });
});

describe.each(benches(['sdk']))('a session of the host on Pi $version', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test.each(['ours', 'its own', 'no'])(
    'R5 S5 disposed of by the host in %s run: everything ends, and nothing is called',
    async (whose) => {
      bench = await openPiBench(place);
      const { session, native } = await bench.openShared();
      if (!native) throw new Error('no native session');
      await seed(session);
      bench.server.script(() => ({ hang: true }));
      const asked = bench.server.next();
      const first = whose === 'ours' ? session.send('first') : undefined;
      if (whose === 'its own') void native.prompt('theirs').catch(() => undefined);
      if (whose !== 'no') await asked;
      const held = whose === 'no' ? undefined : session.send('held');
      native.dispose();
      expect(await first?.ended).toBe(first && 'unconfirmed');
      expect(await held?.ended).toBe(held && 'undelivered');
      expect(session.status().state).toBe('closed');
      const requests = bench.server.requests.length;
      expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'closed' });
      expect(await session.send('late').ended).toBe('undelivered');
      expect(bench.server.requests).toHaveLength(requests);
      await session.dispose();
      expect(Object.hasOwn(native, 'dispose')).toBe(false);
    },
  );

  test('R8 a listener of the host that is before ours and throws on agent_settled: the input ends all the same', async () => {
    bench = await openPiBench(place);
    const first = await bench.openShared();
    await first.session.dispose();
    const { native } = first;
    if (!native) throw new Error('no native session');
    const stop = native.subscribe(({ type }) => {
      if (type === 'agent_settled') throw new Error('a listener of the host, before ours');
    });
    const session = await bench.attach(native);
    expect(await session.send('one').ended).toBe('completed');
    stop();
    await say(session, 'two');
  });

  test('S2 a listener of the host that is before ours and throws on our message: unconfirmed, and not sent again', async () => {
    bench = await openPiBench(place);
    const first = await bench.openShared();
    await first.session.dispose();
    const { native } = first;
    if (!native) throw new Error('no native session');
    const stop = native.subscribe((event) => {
      const { message } = event as { message?: { role: string } };
      if (event.type === 'message_end' && message?.role === 'user') throw new Error('a listener of the host, before ours');
    });
    const session = await bench.attach(native);
    expect(await session.send('OURS').ended).toBe('unconfirmed');
    stop();
    await say(session, 'NEXT');
    const written = (await recordsSoFar(session)).filter(({ type }) => type === 'input_written');
    expect(written).toHaveLength(2);
  });

  test('R8 attached inside a slow agent_settled: Pi puts the prompt off, and it is not said to be handled', async () => {
    bench = await openPiBench(place);
    bench.write(
      '~/pi/extensions/slow.ts',
      `export default function (pi) {
        pi.on('agent_settled', async () => { await globalThis.lateSettle?.(); });
      }`,
    );
    const first = await bench.openShared();
    await first.session.dispose();
    const { native } = first;
    if (!native) throw new Error('no native session');
    const inside = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    Object.assign(globalThis, {
      lateSettle() {
        inside.resolve();
        return goOn.promise;
      },
    });
    const theirs = native.prompt('THEIRS');
    await inside.promise;
    const session = await bench.attach(native);
    const before = bench.server.requests.length;
    const input = session.send('OURS');
    await new Promise((resolve) => setImmediate(resolve));
    goOn.resolve();
    Reflect.deleteProperty(globalThis, 'lateSettle');
    expect(await input.ended).toBe('completed');
    expect(bench.server.requests.slice(before).map(({ messages }) => messages.at(-1)?.text)).toEqual(['OURS']);
    await theirs;
  });

  test('S5 an input that was written was handed to Pi: disposed in the same tick it is unconfirmed, a held one is undelivered', async () => {
    bench = await openPiBench(place);
    const { session, native } = await bench.openShared();
    if (!native) throw new Error('no native session');
    const given: string[] = [];
    const { prompt } = native;
    native.prompt = (text, options) => {
      given.push(text);
      return prompt.call(native, text, options);
    };
    const inputs = ['one', 'two'].map((text) => session.send(text));
    const disposal = session.dispose();
    expect(await Promise.all(inputs.map(({ ended }) => ended))).toEqual(['unconfirmed', 'undelivered']);
    await disposal;
    expect(given).toEqual(['one']);
    const written = (await recordsSoFar(session)).filter(({ type }) => type === 'input_written');
    expect(written).toHaveLength(1);
  });

  test.each(['{ n: 10n }', 'cycle'])(
    'R8 an extension answers with details that JSON has no word for (%s): completed',
    async (details) => {
      bench = await openPiBench(place);
      bench.write(
        '~/pi/extensions/theirs.ts',
        `export default function (pi) {
        const cycle = {}; cycle.cycle = cycle;
        pi.on('session_before_compact', async ({ preparation: { firstKeptEntryId } }) => (
          { compaction: { summary: 'THEIRS', firstKeptEntryId, tokensBefore: 5, details: ${details} } }));
      }`,
      );
      const { session } = await bench.openShared({ inMemory: true });
      await seed(session);
      expect(await session.compact()).toMatchObject({ status: 'completed', summary: 'THEIRS' });
      await say(session, 'and on');
    },
  );
});
