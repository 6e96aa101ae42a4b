import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('codex'))('T6 what a host should never have to care about on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('an error that lists every method the vendor has is recorded cut, and a compaction follows', async () => {
    bench = await openCodexBench(version);
    const { session, request } = await bench.openWired();
    await say(session, 'hello');
    const answer = await request('no/such/method', { key: 'sk-ant-api03-cccccccccccccccccccccccc' });
    expect(String((answer.error as JsonObject).message).length).toBeGreaterThan(2_000);
    expect((await session.compact()).status).toBe('completed');
    expect(JSON.stringify(await recordsSoFar(session))).not.toMatch(/no\/such\/method|sk-ant/);
  });

  test('E3 notices that somebody opted out of cost the proof, never the truth', async () => {
    bench = await openCodexBench(version);
    const { session } = await bench.openWired({ optOut: ['item/started'] });
    await say(session, 'hello');
    expect(await session.compact()).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence', started: true });
    await say(session, 'the slot is free again');
    expect(bench.rollout(session.nativeId ?? '').filter(({ type }) => type === 'compacted')).toHaveLength(1);
  });

  test('E3 without the start of its turn nothing is bound; the end of a turn that nobody saw begin settles it', async () => {
    bench = await openCodexBench(version);
    const { session } = await bench.openWired({ optOut: ['turn/started'] });
    await say(session, 'hello');
    expect(await session.compact()).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence', started: false });
    await say(session, 'the slot is free again');
  });
});
