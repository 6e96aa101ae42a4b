import { type CodexLabOptions, compactionResponse, failedResponse } from '@native-compaction/conformance';
import type { Session } from '@native-compaction/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const setUps: [string, CodexLabOptions][] = [
  ['an API key', { providerName: 'OpenAI' }],
  ['a ChatGPT login', { isChatGpt: true }],
];

describe.each(versionsOf('codex'))('R8 remote compaction on Codex %s', (version) => {
  describe.each(setUps)('with %s', (_what, options) => {
    let bench: CodexBench;
    let session: Session;
    beforeAll(async () => {
      bench = await openCodexBench(version, () => ({ text: 'fine' }), options);
      session = await bench.open();
      await say(session, 'hello');
    });
    afterAll(() => bench.close());
    /** Says what the rollout has of compactions, and that the thread is usable. */
    const goOn = () => say(session, 'still there');
    const manual = () => bench.server.codexTurns.filter(({ trigger }) => trigger === 'manual').length;

    test('completed, by one request that the provider knows as a manual compaction', async () => {
      const before = manual();
      bench.server.stream(compactionResponse('SEALED'));
      expect(await session.compact()).toMatchObject({ status: 'completed', context: 'compacted' });
      expect(manual() - before).toBe(1);
      await goOn();
    });

    test.each([
      ['without the item', compactionResponse('').events.filter(({ type }) => type !== 'response.output_item.done')],
      [
        'with two of them',
        compactionResponse('x').events.flatMap((event) => (event.type.endsWith('done') ? [event, event] : [event])),
      ],
    ])('an answer %s is failed: remote compaction can tell', async (_how, events) => {
      bench.server.stream({ events });
      const result = await session.compact();
      expect(result).toMatchObject({ status: 'failed', reason: 'native_failed', context: 'unchanged' });
      expect(result.status === 'failed' && result.message).toContain('exactly one compaction output item');
      await goOn();
    });

    test('the context limit is failed at once, with the hint', async () => {
      bench.server.stream(failedResponse('context_length_exceeded', 'too long'));
      expect(await session.compact()).toMatchObject({ status: 'failed', hint: 'context_limit', context: 'unchanged' });
      await goOn();
    });

    test('interrupted while the provider has not answered: aborted by the caller', async () => {
      const never = Promise.withResolvers<void>();
      bench.server.stream(compactionResponse('SEALED', never.promise));
      const asked = bench.server.streamAsked();
      const pending = session.compact();
      await asked;
      await session.abort();
      expect(await pending).toMatchObject({ status: 'aborted', by: 'caller', context: 'unchanged' });
      await goOn();
    });
  });
});
