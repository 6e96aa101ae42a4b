import { openScripted, recordsSoFar } from '@native-compaction/conformance';
import type { CompactionResult, CompactOptions } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import type { PiIn, PiOut } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { piManualCompaction, promptChangeOf, testedVersions } from '../src/options.ts';
import type { PiFacts, PiState } from '../src/state.ts';
import { native } from './support/native.ts';

/** A real session over a scripted Pi that answers what it is asked of its state. */
async function openPeer(data: JsonObject = {}) {
  const scripted = await openScripted<PiIn, PiOut, PiState, PiFacts>(
    {
      runtime: 'pi-rpc',
      machine: piMachine,
      facts: { deltas: false, testedVersions, version: '1.6.0' },
      manualCompaction: piManualCompaction,
      promptChange: (version, { isPromptPatched }) => promptChangeOf(version, false, isPromptPatched),
    },
    (peer) => {
      for (const frame of native.opening()) peer.send(frame);
    },
  );
  const { session, peer } = scripted;
  const written = (type: string) => peer.written.filter((frame) => frame.type === type);
  peer.onWrite((frame) => {
    if (frame.type === 'get_state') queueMicrotask(() => peer.send(native.state(String(frame.id), data)));
  });
  const play = async (...frames: readonly JsonObject[]) => {
    for (const frame of frames) peer.send(frame);
    await new Promise((done) => setImmediate(done));
  };
  return { ...scripted, written, play, records: () => recordsSoFar(session) };
}

/** A compaction that was just written. */
async function dispatch(options: CompactOptions = {}) {
  const opened = await openPeer();
  let result: CompactionResult | undefined;
  const pending = opened.session.compact(options).then((settled) => {
    result = settled;
    return settled;
  });
  await opened.play();
  const id = String(opened.written('compact').at(-1)?.id);
  /** Plays frames, and gives the result if one has come. */
  const play = async (...frames: readonly JsonObject[]) => {
    await opened.play(...frames);
    return result;
  };
  return { ...opened, pending, id, play };
}
const run = [{ type: 'agent_start' }, { type: 'agent_settled', aborted: false }];

describe('faults that hosts of Pi have shown', () => {
  test('K3 the answer comes after half a minute: no deadline of the wire; one of the caller leaves a late end', async () => {
    const bench = await dispatch();
    await bench.play(native.start());
    bench.clock.pass(600_000);
    expect(await bench.play(native.completed(), native.answer(bench.id, 'compact', native.result))).toMatchObject({
      status: 'completed',
    });
    const bounded = await dispatch({ timeoutMs: 30_000 });
    await bounded.play(native.start());
    bounded.clock.pass(30_000);
    expect(await bounded.pending).toMatchObject({ status: 'unconfirmed', reason: 'timeout', started: true });
    expect(await bounded.session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    await bounded.play(native.completed(), native.answer(bounded.id, 'compact', native.result));
    expect((await bounded.records()).findLast(({ type }) => type === 'compaction_ended')).toMatchObject({
      late: true,
      outcome: 'completed',
    });
  });

  test('K2 K9 abort is answered with success while the compaction goes on: nothing is aborted until its end says so', async () => {
    const bench = await dispatch();
    await bench.play(native.start());
    void bench.session.abort();
    await bench.play();
    const abort = String(bench.written('abort').at(-1)?.id);
    expect(await bench.play(native.answer(abort, 'abort'))).toBeUndefined();
    const held = bench.session.send('waits');
    expect(bench.written('prompt')).toHaveLength(0);
    expect(await bench.play(native.aborted(), native.failure(bench.id, 'compact', 'cancelled'))).toMatchObject({
      status: 'aborted',
      by: 'caller',
    });
    expect(bench.written('prompt')).toHaveLength(1);
    expect(held.withdraw()).toBe(false);
    await bench.session.dispose();
  });

  test('K4 a prompt during a compaction would be acknowledged and never run: it is held, and delivered once', async () => {
    const bench = await dispatch();
    await bench.play(native.start());
    bench.session.send('first');
    bench.session.send('second');
    await bench.play();
    expect(bench.written('prompt')).toHaveLength(0);
    await bench.play(native.failed(), native.failure(bench.id, 'compact', 'Compaction failed: no'));
    expect(bench.written('prompt')).toMatchObject([{ message: 'first' }]);
    await bench.session.dispose();
  });

  test('K1 K7 an automatic one came first, and ours is then refused: never completed by it', async () => {
    const bench = await dispatch();
    const automatic = [native.start('threshold'), native.completed('threshold')];
    expect(await bench.play(...automatic, native.failure(bench.id, 'compact', 'Already compacted'))).toMatchObject({
      status: 'rejected',
      reason: 'native_refused',
    });
    const ends = (await bench.records()).flatMap((item) => (item.type === 'compaction_ended' ? [item.origin] : []));
    expect(ends[0]).toBe('automatic');
  });

  test('K5 K13 an overflow recovery that will be tried again ends nothing of ours', async () => {
    const bench = await dispatch();
    await bench.play(native.start('overflow'), { ...native.completed('overflow'), willRetry: true }, native.start());
    expect(await bench.play({ ...native.failed('overflow'), willRetry: true })).toBeUndefined();
    expect(await bench.play(native.completed(), native.answer(bench.id, 'compact', native.result))).toMatchObject({
      status: 'completed',
    });
    expect(bench.written('compact')).toHaveLength(1);
  });

  test.each([
    ['too small', 'Nothing to compact (session too small)'],
    ['already compacted', 'Already compacted'],
  ])('K7 a session that is %s: a native failure that is told apart by its hint, never completed', async (_what, message) => {
    const bench = await dispatch();
    const result = await bench.play(
      native.start(),
      native.failed('manual', message),
      native.failure(bench.id, 'compact', message),
    );
    expect(result).toMatchObject({ status: 'failed', hint: 'nothing_to_compact', context: 'unchanged' });
  });

  test('K5 the end of a failed one never comes, and the answer does: the slot is free, and nothing is claimed', async () => {
    const bench = await dispatch();
    const held = bench.session.send('the next one');
    const result = await bench.play(native.start(), native.failure(bench.id, 'compact', 'Summarization failed: aborted'));
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
    expect(bench.written('prompt')).toHaveLength(1);
    expect(held.withdraw()).toBe(false);
    await bench.session.dispose();
  });

  test('K1 a run settles while a compaction runs: that is no end of it', async () => {
    const bench = await dispatch();
    expect(await bench.play(native.start(), ...run)).toBeUndefined();
    expect(bench.session.status()).toMatchObject({ state: 'compacting' });
    expect(await bench.play(native.completed(), native.answer(bench.id, 'compact', native.result))).toMatchObject({
      status: 'completed',
    });
  });

  test('K16 K5 names of an older build, and a compaction behind the end of a run: no error, and busy until it ends', async () => {
    const bench = await openPeer();
    await bench.play({ type: 'auto_compaction_start' }, { type: 'agent_start' }, { type: 'agent_end', messages: [] });
    await bench.play(native.start('threshold'));
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected' });
    await bench.play(native.failed('threshold'), { type: 'agent_settled', aborted: false });
    expect((await bench.records()).map(({ type }) => type)).toContain('raw');
    void bench.session.compact();
    await bench.play();
    expect(bench.written('compact')).toHaveLength(1);
    await bench.session.dispose();
  });

  test('K8 a turn that ends in an error right before an automatic one is no failure of the session', async () => {
    const bench = await openPeer();
    const message = { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'aborted' };
    await bench.play({ type: 'agent_start' }, { type: 'message_end', message }, { type: 'agent_end', messages: [message] });
    await bench.play(native.start('threshold'), native.completed('threshold'), { type: 'agent_settled', aborted: false });
    expect(bench.session.status()).toMatchObject({ state: 'idle' });
    void bench.session.compact();
    await bench.play();
    expect(bench.written('compact')).toHaveLength(1);
    await bench.session.dispose();
  });

  test('K10 two open at once: only the answer with our id may settle, and ends that disagree settle nothing', async () => {
    const bench = await dispatch();
    await bench.play(native.start(), native.start(), native.aborted(), native.completed());
    expect((await bench.play(native.failure(bench.id, 'compact', 'cancelled')))?.status).not.toBe('completed');
  });

  test('K6 a success that made the context larger is completed, with the figures as they are', async () => {
    const bench = await dispatch();
    const grown = { ...native.result, tokensBefore: 72_706, estimatedTokensAfter: 79_680 };
    const result = await bench.play(
      native.start(),
      { ...native.completed(), result: grown },
      native.answer(bench.id, 'compact', grown),
    );
    expect(result).toMatchObject({ status: 'completed', tokens: { before: 72_706, after: 79_680, estimated: true } });
  });

  test('K17 K8 the process exits with secrets on stderr: unconfirmed, and no message quotes them', async () => {
    const bench = await dispatch();
    await bench.play(native.start());
    bench.peer.end('process_exit', { code: 1, stderrTail: 'API_KEY=[redacted]' });
    const result = await bench.pending;
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'process_exit', started: true });
    expect(JSON.stringify(result)).not.toContain('API_KEY');
  });

  test('K12 work that was cut off by a compaction of somebody else is not taken up by the library', async () => {
    const bench = await openPeer();
    await bench.play({ type: 'agent_start' }, { type: 'agent_settled', aborted: true }, native.start(), native.completed());
    expect(bench.peer.written.filter(({ type }) => type !== 'get_state')).toEqual([]);
    expect((await bench.records()).findLast(({ type }) => type === 'compaction_ended')).toMatchObject({ origin: 'foreign' });
  });
});
