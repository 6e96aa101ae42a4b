import type { OpenOptions, Session } from '@native-compaction/core';
import { type RestoreOptions, restoreSession } from '@native-compaction/restore';
import { afterEach, describe, expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, seed } from '../../support/pi.ts';
import { say } from '../../support/sessions.ts';

const all = ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'];
const fresh = all.slice(2);
const inEffect = { system: 'in-effect', append: 'in-effect' };

describe.each(benches())('restoreSession on Pi $version, $surface', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  const begin = async () => {
    bench = await openPiBench(place);
    const first = await bench.open({ prompt: { system: 'OLD-SYSTEM', append: 'OLD-APPEND' } });
    await seed(first);
    await first.dispose();
    return first.nativeId;
  };
  const restore = (resume: string | undefined, options: RestoreOptions) =>
    restoreSession<OpenOptions>(bench, { resume, prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' }, ...options });
  const carried = async (session: Session) => {
    await say(session, 'next');
    const request = bench.server.requests.at(-1);
    const text = `${request?.system}${JSON.stringify(request?.messages)}`;
    return all.filter((marker) => text.includes(marker));
  };

  test('P1 when needed: a compaction is not, and the next request carries the new texts alone', async () => {
    const { session, compaction, prompt } = await restore(await begin(), { compact: 'when-needed' });
    expect([compaction, prompt]).toEqual([undefined, inEffect]);
    expect(bench.server.requests.some(({ isCompaction }) => isCompaction)).toBe(false);
    expect(await carried(session)).toEqual(fresh);
  });

  test('P1 whatever becomes of a compaction that is asked for, the new texts are in effect', async () => {
    const resume = await begin();
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
    const failed = await restore(resume, { compact: 'always' });
    expect([failed.compaction?.status, failed.prompt]).toEqual(['failed', inEffect]);
    expect(await carried(failed.session)).toEqual(fresh);
    await failed.session.dispose();
    bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    const late = await restore(resume, { compact: 'always', timeoutMs: 0 });
    expect([late.compaction, late.prompt]).toMatchObject([{ reason: 'timeout' }, inEffect]);
    await late.session.dispose();
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    const completed = await restore(resume, { compact: 'always' });
    expect([completed.compaction?.status, completed.prompt]).toEqual(['completed', inEffect]);
    expect(await carried(completed.session)).toEqual(fresh);
  });
});
