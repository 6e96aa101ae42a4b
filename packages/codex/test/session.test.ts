import { createRedactor, openSession } from '@native-compaction/core';
import { createLinkedPair, type JsonObject, text } from '@native-compaction/transport';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CodexIn, CodexOut } from '../src/frames.ts';
import { codexMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { codexManualCompaction } from '../src/runtime.ts';
import { native } from './support/native.ts';

/** A session over a scripted peer that has opened its thread. */
async function open() {
  const { wire, peer } = createLinkedPair<CodexIn, CodexOut>();
  const opened = openSession({
    runtime: 'codex',
    machine: codexMachine,
    facts: { thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions },
    wire,
    redactor: createRedactor(),
    manualCompaction: codexManualCompaction,
    promptChange: () => ({ system: 'unknown', append: 'unknown' }),
  });
  for (const frame of native.opening()) peer.send(frame);
  const session = await opened;
  const written = (method: string) => peer.written.findLast((frame: JsonObject) => frame.method === method);
  const idOf = (method: string) => text(written(method)?.id) ?? '';
  const noGoal = () => peer.send(native.result(idOf('thread/goal/get'), { goal: null }));
  return { session, peer, written, idOf, noGoal };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a Codex session over a scripted peer', () => {
  test('C1 C5 a cancel that finds no target in five seconds ends the waiting, and is written when it has one', async () => {
    const { session, peer, written, idOf, noGoal } = await open();
    const pending = session.compact();
    noGoal();
    peer.send(native.result(idOf('thread/compact/start')));
    let isDone = false;
    const aborting = session.abort().then(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(4_900);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    await aborting;
    expect(written('turn/interrupt')).toBeUndefined();
    peer.send(native.turnStarted('T'));
    expect(written('turn/interrupt')?.params).toMatchObject({ turnId: 'T' });
    peer.send(native.turnCompleted('T', 'interrupted'));
    expect(await pending).toMatchObject({ status: 'aborted', by: 'caller', context: 'unchanged' });
    await session.dispose();
  });

  test('C1 a kept cancel is dropped when its operation is over, and does not reach the next turn', async () => {
    const { session, peer, written, idOf, noGoal } = await open();
    const pending = session.compact();
    noGoal();
    const aborting = session.abort();
    peer.send(native.error(idOf('thread/compact/start'), 'no'));
    await aborting;
    expect(await pending).toMatchObject({ status: 'rejected', reason: 'native_refused' });
    session.send('hello');
    peer.send(native.result(idOf('turn/start'), { turn: { id: 'P' } }));
    peer.send(native.turnStarted('P'));
    expect(written('turn/interrupt')).toBeUndefined();
    peer.send(native.turnCompleted('P', 'completed'));
    await session.dispose();
  });

  test('T7 what the gate refuses is no late record, and T1 a closed session shows no compaction', async () => {
    const { session, peer, idOf } = await open();
    const late: unknown[] = [];
    session.on('record', (record) => record.type === 'compaction_rejected' && late.push(record.late));
    const refused = session.compact();
    peer.send(native.result(idOf('thread/goal/get'), { goal: { status: 'active' } }));
    expect(await refused).toMatchObject({ status: 'rejected', reason: 'goal_active' });
    const withdrawn = session.compact();
    await session.abort();
    expect(await withdrawn).toMatchObject({ status: 'rejected' });
    expect(late.filter(Boolean)).toEqual([]);
    void session.compact();
    const disposing = session.dispose();
    expect(session.status()).toEqual({ state: 'closed', vendorVersion: '0.171.0' });
    await vi.advanceTimersByTimeAsync(5_000);
    await disposing;
  });

  test('T1 a session is running from the receipt of its input on', async () => {
    const { session, peer, idOf } = await open();
    const { delivered } = session.send('hello');
    expect(session.status().state).toBe('idle');
    peer.send(native.result(idOf('turn/start'), { turn: { id: 'P' } }));
    await delivered;
    expect(session.status().state).toBe('running');
    peer.send(native.turnStarted('P'));
    peer.send(native.turnCompleted('P', 'completed'));
    expect(session.status().state).toBe('idle');
    await session.dispose();
  });

  test('R1 misuse of on() and records() is a coded error that says what is expected', async () => {
    const { session } = await open();
    const code = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
      return 'nothing';
    };
    expect(code(() => session.on('record', undefined as never))).toMatch(/^invalid_options: .*must be a function/);
    expect(code(() => session.records('x' as never))).toMatch(/^foreign_cursor: The cursor "x" \(\{ log, seq \}\)/);
    await session.dispose();
  });

  test.each([
    ['a turn that began', native.turnStarted('G'), 'busy_turn'],
    ['a goal that became active', native.goal('active'), 'goal_active'],
  ])('G3 %s in the same piece as the answer of the gate is judged before the write', async (_what, frame, reason) => {
    const { session, peer, idOf, written } = await open();
    const pending = session.compact();
    peer.sendTogether(native.result(idOf('thread/goal/get'), { goal: null }), frame);
    expect(await pending).toMatchObject({ status: 'rejected', reason });
    expect(written('thread/compact/start')).toBeUndefined();
    await session.dispose();
  });

  test('G3 a goal that is known to be active is not asked for', async () => {
    const { session, peer, written } = await open();
    peer.send(native.goal('active'));
    const { seq } = session.checkpoint().cursor;
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'goal_active' });
    expect(session.checkpoint().cursor.seq).toBe(seq);
    expect(written('thread/goal/get')).toBeUndefined();
    await session.dispose();
  });

  test('G3 what is read behind the answer and changes nothing holds nothing up', async () => {
    const { session, peer, idOf, written } = await open();
    void session.compact();
    peer.sendTogether(native.result(idOf('thread/goal/get'), { goal: null }), native.goal('paused'));
    expect(written('thread/compact/start')).toBeDefined();
    await session.dispose();
  });
});
