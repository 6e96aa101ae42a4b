import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, recordsSoFar, seed } from '../../support/pi.ts';

const KEY = 'sk-loopback-0123456789abcdef';

describe.each(benches())('what leaves the library of Pi $version over $surface', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test('R9 a provider that echoes the key, a path and a body without bounds in its error', async () => {
    bench = await openPiBench(place, undefined, { key: KEY });
    const session = await bench.open();
    await seed(session);
    const body = `bad key ${KEY} in ${bench.home}/pi/models.json `;
    bench.server.script(() => ({ status: 401, message: body + 'x'.repeat(300_000) }));
    const result = await session.compact();
    expect(result).toMatchObject({ status: 'failed', hint: 'provider_error' });
    expect(result.status === 'failed' && result.message?.length).toBeLessThan(20_000);
    expect(await session.send('and in a turn').ended).toBe('failed');
    const seen = JSON.stringify([result, await recordsSoFar(session), session.checkpoint()]);
    expect(seen).toContain('bad key [redacted]');
    expect(seen).not.toContain(KEY);
    expect(seen).not.toContain(bench.home);
    expect(seen.length).toBeLessThan(200_000);
    // The raw frame is the one place where it stands.
    expect(JSON.stringify(session.frame(result.evidence.at(-1)?.frame ?? 0)?.native)).toContain(KEY);
  });

  test('R9 the progress of a retry says nothing of what failed', async () => {
    const retry = { enabled: true, maxRetries: 1, baseDelayMs: 10 };
    bench = await openPiBench(place, undefined, { key: KEY, settings: { retry } });
    const session = await bench.open();
    await seed(session);
    bench.server.script(() => ({ status: 500, message: `bad key ${KEY}` }));
    expect(await session.compact()).toMatchObject({ status: 'failed' });
    const records = JSON.stringify(await recordsSoFar(session));
    expect(records).toContain('compaction_progress');
    expect(records).not.toContain(KEY);
  });

  test('R9 deltas come on request, whole and redacted', async () => {
    bench = await openPiBench(place, () => ({ text: `the key is ${KEY}, and that was it. `.repeat(4) }));
    const session = await bench.open({ deltas: true });
    await session.send('say it').ended;
    const records = await recordsSoFar(session);
    const deltas = records.flatMap((item) => (item.type === 'assistant_delta' ? [item.text] : [])).join('');
    const whole = records.flatMap((item) => (item.type === 'assistant_text' ? [item.text] : [])).join('');
    expect(deltas).toBe(whole);
    expect(deltas).toContain('the key is [redacted], and');
    expect(JSON.stringify(records)).not.toContain(KEY);
  });
});
