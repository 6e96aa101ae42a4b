import type { CompactionResult } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { type Bench, openBench } from './support/open.ts';

const soFar = (promise: Promise<CompactionResult>) => Promise.race([promise, Promise.resolve('pending' as const)]);
/** Plays the whole proof of the command written last. */
const prove = ({ peer, commands }: Bench) => {
  const uuid = String(commands().at(-1)?.uuid);
  const frames = [native.lifecycle(uuid, 'started'), native.compacting(), native.compacted('success'), native.init(uuid)];
  for (const frame of [...frames, native.boundary('manual', uuid), native.compactResult(uuid)]) peer.send(frame);
};

describe('R3 the deadline', () => {
  test('it ends the waiting at its moment, and keeps the slot', async () => {
    const bench = await openBench();
    const pending = bench.session.compact({ timeoutMs: 500 });
    bench.clock.pass(5_000);
    bench.answerRead();
    bench.clock.pass(499);
    expect(await soFar(pending)).toBe('pending');
    bench.clock.pass(1);
    const result = await pending;
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'timeout', dispatchedAtMs: 6_000 });
    expect(result).not.toHaveProperty('settledAtMs');
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
  });

  test('neither the deadline, nor the signal, nor the read of one control ends the next', async () => {
    const bench = await openBench({ readTimeoutMs: 5_000 });
    const controller = new AbortController();
    const first = bench.session.compact({ timeoutMs: 8_000, signal: controller.signal });
    bench.answerRead();
    bench.clock.pass(4_000);
    prove(bench);
    expect(await first).toMatchObject({ status: 'completed', dispatchedAtMs: 1_000, settledAtMs: 5_000 });
    const second = bench.session.compact();
    bench.clock.pass(2_000);
    expect(await soFar(second)).toBe('pending');
    bench.answerRead();
    bench.clock.pass(4_000);
    controller.abort();
    expect(await soFar(second)).toBe('pending');
    prove(bench);
    expect(await second).toMatchObject({ status: 'completed' });
  });
});

describe('what is known before anybody is asked', () => {
  test('R2 a signal that has fired already leaves no trace', async () => {
    const bench = await openBench();
    const { seq } = bench.session.checkpoint().cursor;
    const written = bench.peer.written.length;
    const result = await bench.session.compact({ signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'rejected', reason: 'aborted' });
    expect(result).not.toHaveProperty('dispatchedAtMs');
    expect(result).not.toHaveProperty('settledAtMs');
    expect(bench.session.checkpoint().cursor.seq).toBe(seq);
    expect(bench.peer.written).toHaveLength(written);
  });

  test('R11 a signal that fires while the gate asks refuses at once', async () => {
    const bench = await openBench();
    const controller = new AbortController();
    const pending = bench.session.compact({ signal: controller.signal });
    controller.abort();
    const result = await soFar(pending);
    expect(result).toMatchObject({ status: 'rejected', reason: 'aborted' });
    expect(result).not.toHaveProperty('dispatchedAtMs');
  });

  test('a runtime that does not declare it is unsupported, and a session that is over is closed', async () => {
    const bench = await openBench({ manualCompaction: undefined as never });
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'unsupported' });
    await bench.session.dispose();
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'closed' });
  });

  test('R1 a request that was used before is a coded error', async () => {
    const bench = await openBench();
    const code = (pending: Promise<unknown>) => pending.catch((error: { code?: string }) => error.code);
    const first = bench.session.compact({ requestId: 'mine' });
    expect(await code(bench.session.compact({ requestId: 'mine' }))).toBe('request_id_reused');
    bench.answerRead();
    prove(bench);
    expect(await first).toMatchObject({ status: 'completed', requestId: 'mine' });
    expect(await code(bench.session.compact({ requestId: 'mine' }))).toBe('request_id_reused');
  });
});

test('the instructions go with the command, and without them nothing does', async () => {
  const bench = await openBench();
  const texts = () => bench.commands().map(({ message }) => (message as { content: string }).content);
  for (const options of [{ instructions: 'Keep the names.' }, {}]) {
    const pending = bench.session.compact(options);
    bench.answerRead();
    prove(bench);
    expect((await pending).status).toBe('completed');
  }
  expect(texts()).toEqual(['/compact Keep the names.', '/compact']);
});
