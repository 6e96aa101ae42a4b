import type { CompactionResult } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench, type WiredCodex } from '../../support/codex.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const itemOf = (frame: JsonObject) => (frame.params as { item?: JsonObject } | undefined)?.item?.type;
const moments: Record<string, (dir: string, frame: JsonObject) => boolean> = {
  'with the command': (dir, frame) => dir === 'out' && frame.method === 'thread/compact/start',
  'on its turn': (_dir, frame) => frame.method === 'turn/started',
  'on the item': (_dir, frame) => frame.method === 'item/started' && itemOf(frame) === 'contextCompaction',
  'between item and end': (_dir, frame) => frame.method === 'item/completed' && itemOf(frame) === 'contextCompaction',
  'on the end': (_dir, frame) => frame.method === 'turn/completed',
};

describe.each(versionsOf('codex'))('C1 C4 cancelling on Codex %s', (version) => {
  let bench: CodexBench;
  let wired: WiredCodex;
  const written: JsonObject[] = [];
  let trigger: { at: (dir: string, frame: JsonObject) => boolean; run: () => void } | undefined;

  beforeAll(async () => {
    bench = await openCodexBench(version);
    wired = await bench.openWired({
      watch(dir, frame) {
        if (dir === 'out') written.push(frame);
        if (!trigger?.at(dir, frame)) return;
        const { run } = trigger;
        trigger = undefined;
        run();
      },
    });
  });
  afterAll(() => bench.close());

  const compacted = () => bench.rollout(wired.session.nativeId ?? '').filter((line) => line.type === 'compacted').length;
  /** What the rollout on disk says happened; the next input shows that the cancel hit nothing else. */
  const witness = async (run: () => Promise<CompactionResult>, isHanging: boolean) => {
    bench.server.script((request) =>
      request.isCompaction && isHanging ? { hang: true } : { text: request.isCompaction ? 'SUMMARY' : 'fine' },
    );
    await say(wired.session, 'something to summarize');
    const before = compacted();
    const result = await run();
    const next = wired.session.send('the next input');
    expect([await next.delivered, await next.ended]).toEqual(['delivered', 'completed']);
    const isCompacted = compacted() > before;
    expect(result.status).not.toBe('unconfirmed');
    // Codex says nothing of a history that it replaced and then interrupted; then the result does not know either.
    if (result.context !== 'unknown')
      expect(result.context, JSON.stringify(result)).toBe(isCompacted ? 'compacted' : 'unchanged');
    return result;
  };
  const abortAt = (moment: string) => () => {
    trigger = { at: moments[moment] ?? (() => false), run: () => void wired.session.abort() };
    return wired.session.compact();
  };

  test.each(['with the command', 'on its turn', 'on the item'])(
    'C1 C4 abort %s: kept until the turn is bound, then aborted by the caller',
    async (moment) => {
      expect(await witness(abortAt(moment), true)).toMatchObject({ status: 'aborted', by: 'caller', context: 'unchanged' });
    },
  );

  test('C4 abort between item and end: aborted and compacted, or completed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const result = await witness(abortAt('between item and end'), false);
      expect(['aborted', 'completed']).toContain(result.status);
      expect(result.context).toBe('compacted');
    }
  });

  test('C1 abort on the end is dropped', async () => {
    expect((await witness(abortAt('on the end'), false)).status).toBe('completed');
  });

  test('abort with the request in flight, twice', async () => {
    const result = await witness(async () => {
      const asked = bench.server.next((request) => request.isCompaction);
      const pending = wired.session.compact();
      await asked;
      await Promise.all([wired.session.abort(), wired.session.abort()]);
      return pending;
    }, true);
    expect(result).toMatchObject({ status: 'aborted', by: 'caller', context: 'unchanged' });
  });

  test('a sweep of 30 delays from 0 to 29 ms: every result agrees with the rollout', async () => {
    const counts: Record<string, number> = {};
    for (let delay = 0; delay < 30; delay += 1) {
      const result = await witness(async () => {
        const pending = wired.session.compact();
        await new Promise((done) => setTimeout(done, delay)); // the delay is what the sweep is about
        await wired.session.abort();
        return pending;
      }, false);
      counts[result.status] = (counts[result.status] ?? 0) + 1;
    }
    if (process.env.REPORT) console.log(`sweep on ${version}: ${JSON.stringify(counts)}`);
  });

  test('S2 S4 inputs from several callers, before, during and behind an abort: none lost, none overtakes', async () => {
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    for (let round = 0; round < 6; round += 1) {
      const from = bench.server.requests.length;
      const pending = wired.session.compact();
      const inputs = [wired.session.send(`${round}-first`)];
      const bound = bench.server.next((request) => request.isCompaction);
      if (round % 2 === 0) await bound;
      const aborting = wired.session.abort();
      inputs.push(wired.session.send(`${round}-second`));
      await aborting;
      inputs.push(wired.session.send(`${round}-third`));
      const result = await pending;
      expect(['aborted', 'completed', 'rejected']).toContain(result.status);
      expect(await Promise.all(inputs.map(({ ended }) => ended))).toEqual(['completed', 'completed', 'completed']);
      const asked = bench.server.requests.slice(from).filter((request) => !request.isCompaction);
      expect(asked.map((request) => request.messages.at(-1)?.text)).toEqual(
        ['first', 'second', 'third'].map((word) => `${round}-${word}`),
      );
    }
  });

  test('an interrupt never goes without its turn', () => {
    const interrupts = written.filter((frame) => frame.method === 'turn/interrupt');
    expect(interrupts.length).toBeGreaterThan(3);
    for (const { params } of interrupts) expect(String((params as JsonObject).turnId)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
