import { resolve } from 'node:path';
import type { JsonObject } from '@native-compaction/transport';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, record, recordsSoFar, type Shared, say, seed } from '../../support/pi.ts';
import { piScript } from '../../support/vendors.ts';

const extension = `export default function (pi) {
  pi.registerCommand('nothing', { description: 'does nothing', handler: async () => {} });
  pi.registerCommand('speak', { description: 'starts a turn', handler: async () => pi.sendUserMessage('said by the extension') });
}`;

describe.each(benches())('G4 the gate on Pi $version over $surface', (place) => {
  let bench: PiBench;
  let shared: Shared;
  const frames: { dir: string; frame: JsonObject }[] = [];
  const waiting: { fits: (frame: JsonObject) => boolean; resolve: () => void }[] = [];
  beforeAll(async () => {
    bench = await openPiBench(place, undefined, {
      settings: { retry: { enabled: true, maxRetries: 1, baseDelayMs: 60_000 } },
      recording: 'shared',
    });
    bench.write('~/pi/extensions/commands.ts', extension);
    shared = await bench.openShared({}, (dir, frame) => {
      frames.push({ dir, frame });
      for (const waiter of waiting.filter(({ fits }) => dir === 'in' && fits(frame))) waiter.resolve();
    });
    await seed(shared.session);
  });
  beforeEach(() => bench.server.script(() => ({ text: 'fine' })));
  afterAll(() => bench.close());

  const seen = (fits: (frame: JsonObject) => boolean) => new Promise<void>((resolve) => waiting.push({ fits, resolve }));
  const compactions = () => frames.filter(({ dir, frame }) => dir === 'out' && frame.type === 'compact').length;
  const refused = async (reason: string) => {
    const before = compactions();
    expect(await shared.session.compact()).toMatchObject({ status: 'rejected', reason, context: 'unchanged' });
    expect(compactions()).toBe(before);
  };

  test('G4 a running turn of ours: busy, and not a byte of a compaction', async () => {
    const { session } = shared;
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next();
    const turn = session.send('hang');
    await asked;
    await refused('busy_turn');
    await session.abort();
    expect(await turn.ended).toBe('aborted');
  });

  test("G4 a running turn of somebody else's", async () => {
    const { session, foreign } = shared;
    const held = Promise.withResolvers<{ text: string }>();
    bench.server.script(() => held.promise);
    const started = seen(({ type }) => type === 'agent_start');
    foreign('prompt', { message: 'from somebody else' });
    await started;
    await refused('busy_turn');
    const waits = session.send('behind it');
    const settled = record(session, 'turn_ended');
    held.resolve({ text: 'fine' });
    await settled;
    expect(await waits.ended).toBe('completed');
  });

  test("G4 messages in Pi's own queue, until a turn takes them", async () => {
    const queued = seen(({ type, steering }) => type === 'queue_update' && Array.isArray(steering) && steering.length === 1);
    shared.foreign('steer', { message: 'steered' });
    await queued;
    await refused('queued_input');
    await say(shared.session, 'takes it along');
    expect(bench.server.requests.at(-1)?.messages.map(({ text }) => text)).toContain('steered');
  });

  test('G4 a shell command of somebody else', async () => {
    const output = seen(({ type }) => type === 'bash_execution_update');
    const shell = shared.foreign('bash', { command: 'echo out; sleep 0.5' });
    await output;
    await refused('busy_turn');
    await shell;
  });

  test('G4 the back-off of a retry', async () => {
    const { session } = shared;
    const retry = seen(({ type }) => type === 'auto_retry_start');
    bench.server.script(() => ({ status: 500, message: 'again' }));
    const turn = session.send('retried');
    await retry;
    await refused('busy_turn');
    await session.abort();
    expect(['aborted', 'failed']).toContain(await turn.ended);
  });

  test('G4 a prompt that an extension handles is over when Pi says that it is idle', async () => {
    const { session } = shared;
    await seed(session);
    for (let round = 0; round < 5; round += 1) expect(await session.send('/nothing').ended).toBe('completed');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test('G4 a prompt whose extension starts a turn: that turn is in the way', async () => {
    const { session } = shared;
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next();
    expect(await session.send('/speak').ended).toBe('completed');
    await asked;
    await refused('busy_turn');
    const held = session.send('held meanwhile');
    await session.abort();
    bench.server.script(() => ({ text: 'fine' }));
    expect(await held.ended).toBe('completed');
  });
});

/** Answers or members of a state that say nothing about whether Pi is at work. */
const states: Record<string, () => PropertyDescriptor> = {
  'a getter that throws': () => ({
    get: () => {
      throw new Error('no state with sk-0123456789abcdef0123456789');
    },
  }),
  'no word': () => ({ value: undefined }),
  'an odd word': () => ({ value: 'yes' }),
};

describe.each(benches(['sdk']))('G4 R3 a state that is no answer on Pi $version', (place) => {
  test.each(Object.keys(states))('G4 %s: not ready, nothing is dispatched, and the session goes on', async (what) => {
    const bench = await openPiBench(place);
    try {
      const { session, native } = await bench.openShared();
      const describeState = states[what];
      if (!native || !describeState) throw new Error('no native session');
      await seed(session);
      const requests = bench.server.requests.length;
      Object.defineProperty(native, 'isCompacting', { configurable: true, ...describeState() });
      expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'not_ready', context: 'unchanged' });
      expect(bench.server.requests).toHaveLength(requests);
      Reflect.deleteProperty(native, 'isCompacting');
      expect(await session.compact()).toMatchObject({ status: 'completed' });
      expect(JSON.stringify(await recordsSoFar(session))).not.toContain('sk-0123456789abcdef');
    } finally {
      await bench.close();
    }
  });
});

describe.each(benches(['rpc']))('G4 R3 an error in the place of a state on Pi $version', (place) => {
  test.each(['error', 'silence'])(
    'G4 %s at the gate: not ready, nothing is dispatched, and the session goes on',
    async (what) => {
      const bench = await openPiBench(place);
      try {
        const env = { REAL_PI: piScript(place.version), STATE: what };
        const executable = resolve('test/support/stateless-pi.mjs');
        const session = await bench.open({}, { executable, env, readTimeoutMs: 10_000 });
        await seed(session);
        const requests = bench.server.requests.length;
        expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'not_ready', context: 'unchanged' });
        const held = session.send('held meanwhile');
        expect(await held.ended).toBe('completed');
        expect(bench.server.requests.slice(requests).every(({ isCompaction }) => !isCompaction)).toBe(true);
        // The late answer to the first read comes with the second, and dispatches nothing of its own.
        expect(await session.compact()).toMatchObject({ status: 'completed' });
        expect(bench.server.requests.filter(({ isCompaction }) => isCompaction)).toHaveLength(1);
      } finally {
        await bench.close();
      }
    },
  );
});
