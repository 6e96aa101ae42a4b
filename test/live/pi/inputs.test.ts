import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, recordsSoFar, type Shared, say, seed } from '../../support/pi.ts';

describe.each(benches())('inputs around a compaction on Pi $version over $surface', (place) => {
  let bench: PiBench;
  let shared: Shared;
  const written: unknown[] = [];
  beforeAll(async () => {
    bench = await openPiBench(place, undefined, { recording: 'shared' });
    shared = await bench.openShared({}, (dir, frame) => {
      if (dir === 'out') written.push(frame.type);
    });
  });
  afterAll(() => bench.close());

  /** What the model was asked as the last message of each turn. */
  const asked = () =>
    bench.server.requests.filter(({ isCompaction }) => !isCompaction).map(({ messages }) => messages.at(-1)?.text);

  test('S2 several callers while compacting: held here, one native turn each, once, in order', async () => {
    const { session } = shared;
    await seed(session);
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script((request) => (request.isCompaction ? held.promise : { text: 'fine' }));
    const compacting = bench.server.next(({ isCompaction }) => isCompaction);
    const pending = session.compact();
    await compacting;
    const before = asked().length;
    written.length = 0;
    const inputs = ['one', 'two', 'three', 'four', 'five'].map((text) => session.send(text));
    const withdrawn = session.send('taken back');
    expect(withdrawn.withdraw()).toBe(true);
    expect(written).toEqual([]);
    held.resolve({ text: 'SUMMARY' });
    expect(await pending).toMatchObject({ status: 'completed' });
    expect(await Promise.all(inputs.map(({ ended }) => ended))).toEqual(inputs.map(() => 'completed'));
    expect(asked().slice(before)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(await withdrawn.ended).toBe('undelivered');
  });

  test.each(['completed', 'failed', 'aborted'])('S2 held inputs go on after a compaction that %s', async (what) => {
    const { session } = shared;
    bench.server.script(() => ({ text: 'fine' }));
    await seed(session);
    bench.server.script((request) => {
      if (!request.isCompaction) return { text: 'fine' };
      return what === 'completed' ? { text: 'SUMMARY' } : what === 'failed' ? { status: 400, message: 'no' } : { hang: true };
    });
    const compacting = bench.server.next(({ isCompaction }) => isCompaction);
    const pending = session.compact();
    const input = session.send(`behind one that ${what}`);
    await compacting;
    if (what === 'aborted') await session.abort();
    expect((await pending).status).toBe(what);
    expect(await input.ended).toBe('completed');
    expect(asked().filter((text) => text === `behind one that ${what}`)).toHaveLength(1);
  });

  test('S4 in one tick: an input behind a compaction waits, a compaction behind an input is refused', async () => {
    const { session } = shared;
    bench.server.script(() => ({ text: 'fine' }));
    await seed(session);
    const order: string[] = [];
    session.on('record', ({ type }) => void order.push(type));
    const pending = session.compact();
    const input = session.send('in the same tick');
    expect(await pending).toMatchObject({ status: 'completed' });
    expect(await input.ended).toBe('completed');
    expect(order.indexOf('compaction_ended')).toBeLessThan(order.indexOf('input_written'));
    const first = session.send('first of all');
    // In process it is still held while Pi is inside the end of the run before it.
    const reason = place.surface === 'sdk' ? 'queued_input' : 'busy_turn';
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason });
    expect(await first.ended).toBe('completed');
  });

  test('T7 what a host needs to show the conversation', async () => {
    const { session } = shared;
    bench.server.script((request) =>
      request.messages.at(-1)?.role === 'tool' ? { text: 'It said HERON.' } : { tool: 'bash', input: { command: 'echo HERON' } },
    );
    const from = session.checkpoint().cursor.seq;
    await say(session, 'look');
    const types = (await recordsSoFar(session)).filter(({ seq }) => seq > from).map(({ type }) => type);
    expect(types.filter((type) => type !== 'idle')).toEqual([
      'input_accepted',
      'input_written',
      'input_received',
      'turn_started',
      'tool_called',
      'tool_result',
      'assistant_text',
      'turn_ended',
      'input_ended',
    ]);
  });
});
