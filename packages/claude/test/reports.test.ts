import { recordsSoFar } from '@native-compaction/conformance';
import type { CompactionResult } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { type Bench, openBench } from './support/open.ts';

/** A compaction that was just written, with what has come of it so far. */
async function dispatch(setup: Parameters<typeof openBench>[0] = {}) {
  const bench = await openBench(setup);
  let result: CompactionResult | undefined;
  const pending = bench.session.compact({ timeoutMs: 3_600_000 }).then((settled) => {
    result = settled;
    return settled;
  });
  bench.answerRead();
  const uuid = String(bench.commands()[0]?.uuid);
  /** Plays frames, and gives the result if one has come. */
  const play = async (...frames: readonly JsonObject[]) => {
    for (const frame of frames) bench.peer.send(frame);
    await new Promise((done) => setImmediate(done));
    return result;
  };
  return { ...bench, pending, uuid, play };
}
const beginning = (uuid: string) => [native.lifecycle(uuid, 'queued'), native.lifecycle(uuid, 'started'), native.compacting()];
const ending = (uuid: string) => [
  native.compacted('success'),
  native.init(uuid),
  native.boundary('manual'),
  native.compactResult(uuid),
  native.lifecycle(uuid, 'completed'),
];
const typesOf = async ({ session }: Bench) => (await recordsSoFar(session)).map(({ type }) => type);

describe('faults that hosts of Claude Code have shown', () => {
  test('K7 K15 a short session is refused in one text, with no status and no boundary: failed only with the mark of the command', async () => {
    const marked = await dispatch();
    const { uuid } = marked;
    const failed = native.commandFailed('Error: Not enough messages to compact.');
    expect(
      await marked.play(native.lifecycle(uuid, 'started'), native.init(uuid), failed, native.compactResult(uuid)),
    ).toMatchObject({
      status: 'failed',
      context: 'unchanged',
    });
    const plain = await dispatch();
    const text = {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'text', text: 'Not enough messages to compact.' }] },
    };
    const short = [native.lifecycle(plain.uuid, 'started'), native.init(plain.uuid), text, native.compactResult(plain.uuid)];
    expect(await plain.play(...short)).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
  });

  test('K4 K15 a command that was queued and never began: not started at the timeout, aborted when it is taken back', async () => {
    const waiting = await dispatch();
    await waiting.play(native.lifecycle(waiting.uuid, 'queued'));
    waiting.clock.pass(3_600_000);
    expect(await waiting.pending).toMatchObject({ status: 'unconfirmed', reason: 'timeout', started: false });
    const taken = await dispatch();
    await taken.play(native.lifecycle(taken.uuid, 'queued'));
    void taken.session.abort();
    expect(await taken.play(native.lifecycle(taken.uuid, 'cancelled'))).toMatchObject({ status: 'aborted', by: 'caller' });
  });

  test('K10 a status that is repeated every half minute is one start', async () => {
    const bench = await dispatch();
    await bench.play(...beginning(bench.uuid));
    for (let minute = 0; minute < 20; minute += 1) {
      bench.clock.pass(30_000);
      await bench.play(native.compacting());
    }
    expect(await bench.play(...ending(bench.uuid))).toMatchObject({ status: 'completed' });
    expect((await typesOf(bench)).filter((type) => type === 'compaction_started')).toHaveLength(1);
  });

  test('K10 the boundary once more behind the end opens nothing again', async () => {
    const bench = await dispatch();
    expect(await bench.play(...beginning(bench.uuid), ...ending(bench.uuid))).toMatchObject({ status: 'completed' });
    await bench.play(native.boundary('manual'));
    expect(bench.session.status()).toMatchObject({ state: 'idle' });
    expect((await typesOf(bench)).filter((type) => type === 'compaction_ended')).toHaveLength(1);
  });

  test('K5 K7 a hook announces a compaction that is then refused: nothing has started, and it is failed', async () => {
    const bench = await dispatch();
    const hook = { type: 'system', subtype: 'hook_started', hook_name: 'PreCompact:manual' };
    await bench.play(native.lifecycle(bench.uuid, 'queued'), hook);
    expect(bench.session.status().compaction?.started).not.toBe(true);
    const refused = [native.lifecycle(bench.uuid, 'started'), native.compacting(), native.compacted('failed', 'blocked by hook')];
    expect(await bench.play(...refused, native.init(bench.uuid), native.compactResult(bench.uuid))).toMatchObject({
      status: 'failed',
    });
  });

  test('K16 a boundary without its metadata, and a frame nobody knows, are no error; they prove nothing', async () => {
    const bench = await dispatch();
    const bare = { type: 'system', subtype: 'compact_boundary', uuid: 'b' };
    const odd = { type: 'system', subtype: 'status_of_tomorrow', status: { compacting: [] } };
    await bench.play(...beginning(bench.uuid), odd, native.compacted('success'), native.init(bench.uuid), bare);
    expect(await bench.play(native.compactResult(bench.uuid))).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
    expect(await typesOf(bench)).toContain('raw');
  });

  test('K5 a minute of nothing and then everything at once, with times that run backwards: the order of arrival counts', async () => {
    const bench = await dispatch();
    const tool = { type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } };
    bench.peer.send(tool);
    bench.clock.pass(61_000);
    const burst = [...beginning(bench.uuid), ...ending(bench.uuid)];
    const dated = burst.map((frame, at) => ({ ...frame, timestamp: new Date(1_000_000 - at * 1_000).toISOString() }));
    expect(await bench.play(...dated)).toMatchObject({ status: 'completed' });
    expect(bench.session.status().state).toBe('idle');
  });

  test('K20 K3 ten silent minutes are no death: nobody ends the process, and the end counts when it comes', async () => {
    const bench = await openBench();
    const pending = bench.session.compact();
    bench.answerRead();
    const uuid = String(bench.commands()[0]?.uuid);
    for (const frame of beginning(uuid)) bench.peer.send(frame);
    bench.clock.pass(600_000);
    expect(bench.session.status()).toMatchObject({ state: 'compacting' });
    for (const frame of ending(uuid)) bench.peer.send(frame);
    expect(await pending).toMatchObject({ status: 'completed' });
  });

  test('K18 hooks and whole compactions of a child agent settle nothing of ours', async () => {
    const bench = await dispatch();
    const child = [native.compacting(), native.compacted('success'), native.boundary('manual'), native.result(undefined)];
    await bench.play(...beginning(bench.uuid));
    expect(await bench.play(...child.map((frame) => ({ ...frame, parent_tool_use_id: 'child' })))).toBeUndefined();
    expect(await bench.play(...ending(bench.uuid))).toMatchObject({ status: 'completed' });
  });

  test('K11 the session goes on under another id, and a boundary under that id is not the end of ours', async () => {
    const bench = await dispatch();
    const other = { session_id: '00000000-0000-4000-8000-000000000002' };
    await bench.play(...beginning(bench.uuid), native.compacted('success'), native.init(bench.uuid));
    expect(
      await bench.play({ ...native.boundary('manual'), ...other }, { ...native.compactResult(bench.uuid), ...other }),
    ).toBeUndefined();
    await bench.play(native.compactResult(bench.uuid));
    expect(await bench.pending).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
  });

  test('K1 a resumed process compacts before its first prompt: automatic, and ours is refused meanwhile', async () => {
    const bench = await openBench();
    bench.peer.send(native.compacting());
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    bench.peer.send(native.boundary('auto'));
    bench.peer.send(native.compacted('success'));
    expect((await recordsSoFar(bench.session)).filter(({ type }) => type === 'compaction_ended')).toMatchObject([
      { origin: 'automatic' },
    ]);
  });

  test('K13 two hundred automatic compactions in a turn: ours is not asked for again, and none of them is ours', async () => {
    const bench = await dispatch();
    await bench.play(native.lifecycle(bench.uuid, 'queued'));
    for (let at = 0; at < 211; at += 1)
      await bench.play(native.compacting(), native.boundary('auto', `auto-${at}`), native.compacted('success'));
    expect(await bench.play()).toBeUndefined();
    expect(bench.commands()).toHaveLength(1);
  });

  test('K2 K6 a success within milliseconds and without any effect is not completed', async () => {
    const bench = await dispatch();
    const result = await bench.play(native.lifecycle(bench.uuid, 'started'), native.compactResult(bench.uuid));
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
  });

  test('K15 the command is given to the model as a prompt: its plain turn completes nothing', async () => {
    const bench = await dispatch();
    const answer = { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'I have compacted everything.' }] } };
    const turn = [native.lifecycle(bench.uuid, 'started'), native.init(bench.uuid), answer, native.result(bench.uuid)];
    expect(await bench.play(...turn)).toMatchObject({ status: 'unconfirmed' });
  });

  test('K14 a summary that appears with no native compaction around it compacts nothing', async () => {
    const bench = await dispatch();
    const mirrored = {
      type: 'user',
      isSynthetic: true,
      message: { role: 'user', content: 'This session is being continued: SUMMARY' },
    };
    expect(
      await bench.play(native.lifecycle(bench.uuid, 'started'), mirrored, native.lifecycle(bench.uuid, 'completed')),
    ).not.toMatchObject({
      status: 'completed',
    });
  });

  test('K9 a cancel told for another command is not ours; silence about ours is no end', async () => {
    const bench = await dispatch();
    const other = '00000000-0000-4000-8000-0000000000ff';
    expect(
      await bench.play(...beginning(bench.uuid), native.lifecycle(other, 'cancelled'), native.result(other)),
    ).toBeUndefined();
    expect(await bench.play(...ending(bench.uuid))).toMatchObject({ status: 'completed' });
  });

  test('K8 exit code 0 with nothing said, and a lost transport, are no evidence', async () => {
    const exited = await dispatch();
    exited.peer.end('process_exit', { code: 0 });
    expect(await exited.pending).toMatchObject({ status: 'unconfirmed', reason: 'process_exit', started: false });
    const lost = await dispatch();
    await lost.play(...beginning(lost.uuid));
    lost.peer.end('transport_lost');
    expect(await lost.pending).toMatchObject({ status: 'unconfirmed', reason: 'transport_lost', started: true });
  });

  test('K17 the provider’s refusal names a key: the failure is told without it', async () => {
    const bench = await dispatch();
    const key = `sk-ant-api03-${'Zq9'.repeat(12)}`;
    const failed = [native.compacted('failed', `API Error: 400 bad key ${key}`), native.init(bench.uuid)];
    const result = await bench.play(...beginning(bench.uuid), ...failed, native.compactResult(bench.uuid));
    expect(result).toMatchObject({ status: 'failed', reason: 'native_failed' });
    expect(JSON.stringify([result, await recordsSoFar(bench.session)])).not.toContain(key);
  });

  test('K12 after a completed one the session is told idle, and the library does no work of its own', async () => {
    const bench = await dispatch();
    await bench.play(...beginning(bench.uuid), ...ending(bench.uuid));
    const { length } = bench.peer.written;
    bench.clock.pass(1_800_000);
    expect(bench.peer.written).toHaveLength(length);
    expect(bench.session.status().state).toBe('idle');
    expect((await typesOf(bench)).at(-1)).toBe('idle');
  });

  test('K19 a changed prompt is declared to be in effect after a compaction, and the gate’s own reading carries none', async () => {
    const bench = await openBench({ facts: { prompt: { append: 'NEW-APPEND' }, testedVersions: ['2.1.332'] } });
    expect(JSON.stringify(bench.peer.written[0])).toContain('NEW-APPEND');
    expect(bench.session.promptChange).toEqual({ system: 'at-next-compaction', append: 'at-next-compaction' });
    void bench.session.compact();
    expect(JSON.stringify(bench.last())).not.toContain('NEW-APPEND');
    await bench.session.dispose();
  });
});
