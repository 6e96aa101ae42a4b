import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, recordsSoFar, seed } from '../../support/pi.ts';
import { piScript } from '../../support/vendors.ts';

const noisy = fileURLToPath(new URL('../../support/noisy-pi.mjs', import.meta.url));
const extension = `export default function (pi) {
  pi.registerCommand('ask', { description: 'asks', handler: async (_args, ctx) => {
    const answers = [await ctx.ui.confirm('Sure?', 'Really?'), await ctx.ui.select('Which?', ['a', 'b']), await ctx.ui.input('What?')];
    ctx.ui.notify(JSON.stringify(answers), 'info');
  } });
  pi.on('session_before_compact', async (_event, ctx) => {
    if (await ctx.ui.confirm('Compact?', 'Now?')) return { cancel: true };
  });
}`;

describe.each(benches(['rpc']))('T6 the protocol of Pi $version', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test('T8 dialogs of an extension get the cancel, also inside a compaction, and nothing hangs', async () => {
    bench = await openPiBench(place);
    bench.write('~/pi/extensions/ask.ts', extension);
    const said: unknown[] = [];
    const session = await bench.open({}, { tap: ({ dir, frame }) => void (dir === 'in' && said.push(frame)) });
    await seed(session);
    expect(await session.send('/ask').ended).toBe('completed');
    expect(said).toContainEqual(expect.objectContaining({ method: 'notify', message: '[false,null,null]' }));
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    const refused = (await recordsSoFar(session)).flatMap((item) =>
      item.type === 'native_request_refused' ? [item.method] : [],
    );
    expect(refused).toEqual(['confirm', 'select', 'input', 'confirm'].map((method) => `extension_ui_request ${method}`));
  });

  test('T6 a child that prints noise, null and frames with odd members: recorded, redacted, and proving nothing', async () => {
    bench = await openPiBench(place);
    const session = await bench.open({}, { executable: noisy, env: { REAL_PI: piScript(place.version) } });
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed', summary: expect.not.stringContaining('FALSE') });
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'failed', context: 'unchanged' });
    const records = await recordsSoFar(session);
    expect(records.filter(({ type }) => type === 'unparsed').length).toBeGreaterThan(3);
    expect(records.filter(({ type }) => type === 'raw').length).toBeGreaterThan(3);
    expect(JSON.stringify(records)).not.toContain('sk-0123456789');
  });

  test('E3 a version that is not known works where the evidence is there', async () => {
    bench = await openPiBench(place);
    const session = await bench.open({}, { executable: noisy, env: { REAL_PI: piScript(place.version) } });
    expect(session.vendorVersion).toBeUndefined();
    expect(session.promptChange).toEqual({ system: 'unknown', append: 'unknown' });
  });

  test('the opening: a session that is not there, and an executable that is not Pi', async () => {
    bench = await openPiBench(place);
    await expect(bench.open({ resume: '00000000-0000-7000-8000-000000000000' })).rejects.toMatchObject({ code: 'resume_failed' });
    await expect(bench.open({ resume: '--help' })).rejects.toMatchObject({ code: 'invalid_options' });
    for (const executable of ['/nowhere/pi', '/nowhere/pi.js'])
      await expect(bench.open({}, { executable })).rejects.toMatchObject({ code: 'executable_not_found' });
    // What Node says of a file stands in front of its stack.
    const broken = bench.write('broken.js', 'import "./missing.js";');
    await expect(bench.open({}, { executable: broken })).rejects.toMatchObject({
      code: 'open_failed',
      message: expect.stringContaining('missing.js'),
    });
    const session = await bench.open();
    await seed(session);
    await session.dispose();
    const beginning = session.nativeId?.slice(0, 20) ?? '';
    await expect(bench.open({ resume: beginning })).rejects.toMatchObject({ code: 'resume_failed' });
  });
});

describe.each(benches(['sdk']))('T8 dialogs in process on Pi $version', (place) => {
  test('T8 an extension that asks, also inside a compaction: it gets the answer of nobody, and nothing hangs', async () => {
    const bench = await openPiBench(place);
    try {
      bench.write('~/pi/extensions/ask.ts', extension);
      const session = await bench.open();
      await seed(session);
      expect(await session.send('/ask').ended).toBe('completed');
      expect(await session.compact()).toMatchObject({ status: 'completed' });
      await seed(session);
    } finally {
      await bench.close();
    }
  });
});
