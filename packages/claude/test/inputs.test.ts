import type { CompactionResult, Input } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { type Bench, openBench } from './support/open.ts';

const PENDING = Promise.resolve('pending' as const);
const soFar = <T>(promise: Promise<T>) => Promise.race([promise, PENDING]);
/** The texts of ours that were written, in order. */
const written = ({ peer }: Bench) =>
  peer.written.flatMap((frame) => (frame.type === 'user' ? [(frame.message as { content: string }).content] : []));
const recorded = async ({ session }: Bench) => {
  const { seq } = session.checkpoint().cursor;
  const ended: [string, string][] = [];
  for await (const record of session.records()) {
    if (record.type === 'input_ended') ended.push([record.inputId, record.outcome]);
    if (record.seq >= seq) break;
  }
  return ended;
};

describe('S2 S3 held inputs', () => {
  test('one that is taken back is undelivered, and the others go in their order', async () => {
    const bench = await openBench();
    const [first, second, third, fourth] = ['1', '2', '3', '4'].map((text) => bench.session.send(text));
    expect(third?.withdraw()).toBe(true);
    expect(third?.withdraw()).toBe(false);
    expect(first?.withdraw()).toBe(false);
    expect([await third?.delivered, await third?.ended]).toEqual(['undelivered', 'undelivered']);
    expect(await soFar(first?.ended ?? PENDING)).toBe('pending');
    for (const input of [first, second, fourth]) {
      bench.peer.send(native.lifecycle(input?.id ?? '', 'started'));
      bench.peer.send(native.result(input?.id));
      expect(await input?.ended).toBe('completed');
    }
    expect(written(bench)).toEqual(['1', '2', '4']);
    expect((await recorded(bench))[0]).toEqual([third?.id, 'undelivered']);
  });

  test('the next one in line can be taken back as well', async () => {
    const bench = await openBench();
    const [first, second, third] = ['1', '2', '3'].map((text) => bench.session.send(text));
    expect(second?.withdraw()).toBe(true);
    expect(await second?.ended).toBe('undelivered');
    bench.peer.send(native.lifecycle(first?.id ?? '', 'started'));
    bench.peer.send(native.result(first?.id));
    expect(written(bench)).toEqual(['1', '3']);
    expect(await soFar(third?.ended ?? PENDING)).toBe('pending');
  });

  test('nothing is written while a turn runs that is not ours', async () => {
    const bench = await openBench({ opening: { session_state: 'running' } });
    bench.session.send('later');
    expect(written(bench)).toEqual([]);
    bench.peer.send(native.autonomous());
    expect(written(bench)).toEqual(['later']);
  });

  test('a compaction that is asked for behind an input that is still held is refused: queued_input', async () => {
    const bench = await openBench();
    const results: Promise<CompactionResult>[] = [];
    using _listener = bench.session.on('record', ({ type }) => {
      if (type !== 'raw') return;
      bench.session.send('first');
      results.push(bench.session.compact());
    });
    bench.peer.send({ type: 'new_thing' });
    expect(await results[0]).toMatchObject({ status: 'rejected', reason: 'queued_input' });
  });
});

describe('S5 what became of an input', () => {
  test('it is delivered with its receipt, before it ends; where the end of the process leaves it open, it stays so', async () => {
    const bench = await openBench();
    const input = bench.session.send('go');
    expect(await soFar(input.delivered)).toBe('pending');
    bench.peer.send(native.lifecycle(input.id, 'queued'));
    expect(await input.delivered).toBe('delivered');
    expect(await soFar(input.ended)).toBe('pending');
    bench.peer.end('process_exit', { code: 1 });
    expect(await input.ended).toBe('unconfirmed');
    expect(await recorded(bench)).toEqual([[input.id, 'unconfirmed']]);
  });

  test.each([
    ['names it', (id: string) => native.result(id), 'completed'],
    ['does not name it', () => native.autonomous(), 'unconfirmed'],
  ])('one that a turn of its own took in ends with that turn; its result %s', async (_what, result, outcome) => {
    const bench = await openBench();
    const input = bench.session.send('go');
    bench.peer.send(native.lifecycle(input.id, 'queued'));
    bench.peer.send(native.init());
    bench.peer.send(native.lifecycle(input.id, 'started'));
    bench.peer.send(native.lifecycle(input.id, 'completed'));
    expect(await soFar(input.ended)).toBe('pending');
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    bench.peer.send(result(input.id));
    expect(await input.ended).toBe(outcome);
    expect(await recorded(bench)).toEqual([[input.id, outcome]]);
  });

  test('one that was cancelled was delivered; one that was never taken was not', async () => {
    for (const [state, delivered, ended] of [
      ['cancelled', 'delivered', 'aborted'],
      ['refused', 'undelivered', 'undelivered'],
      ['completed', 'unconfirmed', 'unconfirmed'],
    ] as const) {
      const bench = await openBench();
      const input = bench.session.send('go');
      bench.peer.send(native.lifecycle(input.id, state));
      expect([await input.delivered, await input.ended]).toEqual([delivered, ended]);
    }
  });

  test('a command on the session and what is no text are coded errors, and nothing is written', async () => {
    const bench = await openBench();
    const code = (input: unknown) => {
      try {
        bench.session.send(input as Input);
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    expect(['/compact', '/compact now', { text: '/clear' }].map(code)).toEqual(Array(3).fill('reserved_command'));
    expect([undefined, null, 7, {}, { text: 7 }, '', ' \n', 'cut \ud83d'].map(code)).toEqual(Array(8).fill('invalid_input'));
    expect(written(bench)).toEqual([]);
    bench.session.send({ text: 'as an object' });
    expect(written(bench)).toEqual(['as an object']);
  });
});
