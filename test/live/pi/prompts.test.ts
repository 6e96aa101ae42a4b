import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, say, seed } from '../../support/pi.ts';

const old = { system: 'SYSTEM-OLD of the session', append: 'APPEND-OLD of the session' };
const fresh = { system: 'SYSTEM-NEW of the session', append: 'APPEND-NEW of the session' };
const handedOver = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('native-compaction-') && name.includes(`-${process.pid}-`));

describe.each(benches())('P1 prompt options on Pi $version over $surface', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  const shown = () => {
    const { system, messages } = bench.server.requests.at(-1) ?? { system: '', messages: [] };
    return `${system}\n${messages.map(({ text }) => text).join('\n')}`;
  };

  test.each(['no', 'one'])(
    'P1 resumed with a changed prompt and %s compaction: the next request carries the new text only',
    async (count) => {
      bench = await openPiBench(place);
      const first = await bench.open({ prompt: old });
      await seed(first);
      expect(shown()).toContain('SYSTEM-OLD');
      expect(shown()).toContain('APPEND-OLD');
      await first.dispose();
      const second = await bench.open({ resume: first.nativeId, prompt: fresh });
      expect(second.nativeId).toBe(first.nativeId);
      expect(second.promptChange).toEqual({ system: 'at-resume', append: 'at-resume' });
      if (count === 'one') expect(await second.compact()).toMatchObject({ status: 'completed' });
      await say(second, 'after the change');
      expect(shown()).toContain('SYSTEM-NEW');
      expect(shown()).toContain('APPEND-NEW');
      expect(shown()).not.toMatch(/SYSTEM-OLD|APPEND-OLD/);
    },
  );

  test('E4 a prompt that names an existing file stays text, and its private file goes with the session', async () => {
    bench = await openPiBench(place);
    const system = bench.write('notes', 'CONTENT-OF-THE-FILE');
    const append = bench.write('more-notes', 'CONTENT-OF-THE-OTHER');
    const before = handedOver();
    const session = await bench.open({ prompt: { system, append } });
    await say(session, 'hello');
    expect(shown()).toContain(system);
    expect(shown()).toContain(append);
    expect(shown()).not.toContain('CONTENT-OF');
    await session.dispose();
    expect(handedOver()).toEqual(before);
  });
});

describe.each(benches(['rpc']))('the prompt files of Pi $version', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test('E4 a new session in the same process reads its prompt again, and it is still the text', async () => {
    bench = await openPiBench(place);
    const extension = `export default function (pi) {
      pi.registerCommand('fresh', { description: 'a new session', handler: async (_args, ctx) => { await ctx.newSession(); } });
    }`;
    bench.write('~/pi/extensions/fresh.ts', extension);
    const session = await bench.open({ prompt: fresh });
    const before = session.nativeId;
    expect(handedOver()).toHaveLength(1);
    await say(session, '/fresh');
    expect(session.nativeId).not.toBe(before);
    await say(session, 'in the new one');
    const { system } = bench.server.requests.at(-1) ?? { system: '' };
    expect(system).toContain('SYSTEM-NEW');
    expect(system).toContain('APPEND-NEW');
    await session.dispose();
    expect(handedOver()).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('E4 R5 %s to Pi: its prompt files go with it', async (signal) => {
    bench = await openPiBench(place);
    let pid = 0;
    const tap = (line: { readonly pid: number }) => {
      pid = line.pid;
    };
    const session = await bench.open({ prompt: fresh }, { tap });
    expect(handedOver()).toHaveLength(1);
    const closed = new Promise<void>((resolve) => session.on('closed', () => resolve()));
    process.kill(pid, signal);
    await closed;
    expect(handedOver()).toEqual([]);
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'closed' });
  });
});
