import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { dispatch, openPeer } from './support/open.ts';

const item = (turn: string, id = `item-${turn}`) => [
  native.item('item/started', turn, id),
  native.item('item/completed', turn, id),
];
const whole = (turn: string) => [native.turnStarted(turn), ...item(turn), native.turnCompleted(turn, 'completed')];

describe('faults that hosts of Codex have shown', () => {
  test('K5 the end of the compact turn never comes: unconfirmed at the timeout, the slot held, and a late end told', async () => {
    const bench = await dispatch({ timeoutMs: 60_000 });
    expect(await bench.play(native.result(bench.id), native.turnStarted('T'), ...item('T'))).toBeUndefined();
    bench.clock.pass(60_000);
    expect(await bench.pending).toMatchObject({ status: 'unconfirmed', reason: 'timeout', started: true });
    expect(bench.session.status()).toMatchObject({ state: 'compacting' });
    await bench.play(native.turnCompleted('T', 'completed'));
    expect(bench.session.status()).toMatchObject({ state: 'idle' });
    expect((await bench.records()).find(({ type }) => type === 'compaction_ended')).toMatchObject({
      outcome: 'completed',
      late: true,
    });
    expect(await bench.pending).toMatchObject({ status: 'unconfirmed' });
  });

  test('K2 K4 the empty answer is an acknowledgement: nothing is settled, and the next input waits for the end of the turn', async () => {
    const bench = await dispatch();
    const held = bench.session.send('the next one');
    expect(await bench.play(native.result(bench.id))).toBeUndefined();
    expect(bench.written('turn/start')).toHaveLength(0);
    await bench.play(native.turnStarted('T'), ...item('T'));
    expect(bench.written('turn/start')).toHaveLength(0);
    expect(await bench.play(native.turnCompleted('T', 'completed'))).toMatchObject({ status: 'completed' });
    expect(bench.written('turn/start')).toHaveLength(1);
    expect(held.withdraw()).toBe(false);
    await bench.session.dispose();
  });

  test('K6 the turn completes without a compaction item: never completed', async () => {
    const bench = await dispatch();
    const result = await bench.play(native.result(bench.id), native.turnStarted('T'), native.turnCompleted('T', 'completed'));
    expect(result).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
  });

  test('K2 K15 K17 answered within milliseconds and failed a second later: failed, with the native error redacted', async () => {
    const bench = await dispatch();
    const key = `sk-proj-${'Zq9'.repeat(12)}`;
    const thread = (type: string) => ({ method: 'thread/status/changed', params: { status: { type } } });
    const error = { message: `stream disconnected: ${key}`, codexErrorInfo: 'other' };
    const frames = [
      native.result(bench.id),
      native.turnStarted('T'),
      thread('active'),
      native.item('item/started', 'T', 'i'),
      thread('systemError'),
    ];
    expect(await bench.play(...frames)).toBeUndefined();
    const notice = { method: 'error', params: { error, willRetry: false, turnId: 'T' } };
    const result = await bench.play(notice, native.turnCompleted('T', 'failed', error));
    expect(result).toMatchObject({ status: 'failed', reason: 'native_failed', context: 'unchanged' });
    expect(JSON.stringify([result, await bench.records()])).not.toContain(key);
  });

  test('K9 K11 an interrupt that comes after the history was replaced: the end decides, and the thread stays the same', async () => {
    const bench = await dispatch();
    await bench.play(native.result(bench.id), native.turnStarted('T'), ...item('T'));
    const thread = bench.session.nativeId;
    void bench.session.abort();
    const refused = native.error(bench.idOf('turn/interrupt'), 'no active turn to interrupt');
    expect(await bench.play(refused)).toBeUndefined();
    expect(await bench.play(native.turnCompleted('T', 'completed'))).toMatchObject({ status: 'completed' });
    expect(bench.session.nativeId).toBe(thread);
  });

  test('K1 another turn ends first, and settles nothing: its own does', async () => {
    const bench = await dispatch();
    const other = [native.turnCompleted('OTHER', 'completed'), native.turnCompleted('OTHER', 'interrupted')];
    await bench.play(native.result(bench.id), native.turnStarted('T'));
    expect(await bench.play(...other, ...item('OTHER'))).toBeUndefined();
    expect(await bench.play(...item('T'), native.turnCompleted('T', 'completed'))).toMatchObject({ status: 'completed' });
  });

  test('K1 an automatic item that begins before the answer is not ours', async () => {
    const bench = await dispatch();
    await bench.play(native.turnStarted('AUTO'), ...item('AUTO'), native.result(bench.id));
    expect(await bench.play(native.turnCompleted('AUTO', 'completed'))).not.toMatchObject({ status: 'completed' });
    await bench.session.dispose();
  });

  test('K10 the end comes before the answer, and an unrelated end follows: nothing is completed by either', async () => {
    const bench = await dispatch();
    await bench.play(...whole('T'), native.result(bench.id), native.turnCompleted('OTHER', 'completed'));
    const ends = (await bench.records()).flatMap((each) =>
      each.type === 'compaction_ended' && each.origin === 'manual' ? [each.outcome] : [],
    );
    expect(ends).not.toContain('completed');
    await bench.session.dispose();
    expect((await bench.pending).status).toBe('unconfirmed');
  });

  test('K10 the item, the older notification and the item once more are one completion', async () => {
    const bench = await dispatch();
    const older = { method: 'thread/compacted', params: { turnId: 'T' } };
    await bench.play(native.result(bench.id), native.turnStarted('T'), ...item('T'), older, ...item('T'));
    expect(bench.session.status()).toMatchObject({ state: 'compacting' });
    expect(await bench.play(native.turnCompleted('T', 'completed'), native.turnCompleted('T', 'completed'))).toMatchObject({
      status: 'completed',
    });
    expect((await bench.records()).filter(({ type }) => type === 'compaction_ended')).toHaveLength(1);
  });

  test('K13 K10 a hundred items in the turns of somebody else neither settle ours nor confuse it', async () => {
    const bench = await dispatch();
    const many = Array.from({ length: 111 }, (_none, at) => item('T', `item-${at}`)).flat();
    expect(await bench.play(native.result(bench.id), native.turnStarted('T'), ...many)).toBeUndefined();
    expect(await bench.play(native.turnCompleted('T', 'completed'))).toMatchObject({ status: 'completed' });
    expect(bench.written('thread/compact/start')).toHaveLength(1);
  });

  test('K8 K5 the process exits behind the answer: unconfirmed at once, and what is sent then is undelivered, not busy', async () => {
    const bench = await dispatch();
    await bench.play(native.result(bench.id));
    bench.peer.end('process_exit', { code: 0 });
    expect(await bench.pending).toMatchObject({ status: 'unconfirmed', reason: 'process_exit', started: false });
    expect(await bench.session.send('after it').ended).toBe('undelivered');
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'closed' });
  });

  test('K9 a stop is an interrupt with the turn of the compaction, keeps the slot, and is aborted by the native word alone', async () => {
    const bench = await dispatch();
    await bench.play(native.result(bench.id), native.turnStarted('T'), native.item('item/started', 'T', 'i'));
    const aborted = bench.session.abort();
    expect(bench.written('turn/interrupt')).toMatchObject([{ params: { turnId: 'T' } }]);
    await bench.play(native.result(bench.idOf('turn/interrupt')));
    await aborted;
    expect(bench.session.status()).toMatchObject({ state: 'compacting' });
    expect(await bench.play(native.turnCompleted('T', 'interrupted'))).toMatchObject({
      status: 'aborted',
      by: 'caller',
      context: 'unchanged',
    });
  });

  test('K9 a vendor that refuses the interrupt: the wait goes on, until the caller gives it up', async () => {
    const controller = new AbortController();
    const bench = await dispatch({ signal: controller.signal });
    await bench.play(native.result(bench.id), native.turnStarted('T'));
    void bench.session.abort();
    expect(await bench.play(native.error(bench.idOf('turn/interrupt'), 'no active turn to interrupt'))).toBeUndefined();
    controller.abort();
    expect(await bench.pending).toMatchObject({ status: 'unconfirmed', reason: 'signal' });
    expect(bench.session.status()).toMatchObject({ state: 'compacting' });
  });

  test('K3 half an hour is no failure, and a call that gave up does not hinder the next', async () => {
    const bench = await dispatch({ timeoutMs: 60_000 });
    await bench.play(native.result(bench.id), native.turnStarted('T'));
    bench.clock.pass(1_800_000);
    expect(await bench.pending).toMatchObject({ status: 'unconfirmed', reason: 'timeout' });
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    await bench.play(...item('T'), native.turnCompleted('T', 'completed'));
    void bench.session.compact();
    await bench.play();
    expect(bench.written('thread/compact/start')).toHaveLength(2);
    await bench.session.dispose();
  });

  test('K12 K4 a goal that runs, and an input that waits, refuse a compaction; nothing is taken out of the queue', async () => {
    const bench = await openPeer();
    bench.peer.send(native.goal('active'));
    expect(await bench.session.compact()).toMatchObject({ status: 'rejected', reason: 'goal_active' });
    const other = await openPeer();
    const [first, second] = [other.session.send('one'), other.session.send('two')];
    expect(await other.session.compact()).toMatchObject({ status: 'rejected' });
    expect(other.written('turn/start')).toHaveLength(1);
    expect([first.withdraw(), second.withdraw()]).toEqual([false, true]);
    expect(other.written('thread/compact/start')).toHaveLength(0);
  });

  test('K7 the service gives no compaction back: failed with the native text, and the thread stays usable', async () => {
    const bench = await dispatch();
    const error = { message: 'expected exactly one compaction output item, got 0 of 3', codexErrorInfo: 'other' };
    const result = await bench.play(native.result(bench.id), native.turnStarted('T'), native.turnCompleted('T', 'failed', error));
    expect(result).toMatchObject({ status: 'failed', reason: 'native_failed' });
    void bench.session.send('go on');
    expect(bench.written('turn/start')).toHaveLength(1);
    await bench.session.dispose();
  });

  test('K18 a child thread compacts, ends and fails beside ours, and ours has its own end', async () => {
    const bench = await dispatch();
    await bench.play(native.result(bench.id), native.turnStarted('T'));
    const child = whole('CHILD').map((frame) => ({
      ...frame,
      params: { ...(frame.params as object), threadId: 'child-thread' },
    }));
    expect(await bench.play(...child)).toBeUndefined();
    expect(await bench.play(...item('T'), native.turnCompleted('T', 'completed'))).toMatchObject({ status: 'completed' });
  });

  test('K19 a thread resumed with other developer instructions sends them, and declares when they count', async () => {
    const threadId = '00000000-0000-7000-8000-000000000001';
    const bench = await openPeer({ thread: { cwd: '/', threadId, prompt: { append: 'NEW-DEVELOPER' } } });
    expect(JSON.stringify(bench.written('thread/resume'))).toContain('NEW-DEVELOPER');
    expect(bench.session.promptChange).toEqual({ system: 'at-resume', append: 'at-next-compaction' });
  });
});
