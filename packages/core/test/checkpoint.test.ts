import { describe, expect, test } from 'vitest';
import { initialView, parseCheckpoint, reduceView } from '../src/checkpoint.ts';
import type { SessionRecord } from '../src/record.ts';
import { initialStatusState, reduceStatus, statusValue } from '../src/status.ts';

let seq = 0;
const at = (draft: object): SessionRecord => {
  seq += 1;
  return { log: 'L', seq, atMs: seq, ...draft } as SessionRecord;
};
const fold = (...drafts: object[]) => drafts.map(at).reduce(reduceView, initialView);

describe('status and checkpoint', () => {
  test('T1 the display value through a session', () => {
    const opened = { type: 'session_opened', nativeId: 'n', vendorVersion: '1' };
    const show = (...drafts: object[]) => statusValue(fold(opened, ...drafts).statusState);
    expect(statusValue(initialStatusState)).toEqual({ state: 'starting' });
    expect(show()).toEqual({ state: 'idle', vendorVersion: '1' });
    expect(show({ type: 'turn_started' })).toMatchObject({ state: 'running' });
    expect(show({ type: 'turn_started' }, { type: 'compaction_started', origin: 'automatic' })).toMatchObject({
      state: 'running',
    });
    expect(show({ type: 'compaction_started', origin: 'automatic' })).toMatchObject({ state: 'compacting' });
    const requested = { type: 'compaction_requested', requestId: 'r' };
    expect(show(requested)).toMatchObject({ state: 'compacting', compaction: { requestId: 'r', started: false } });
    expect(show(requested, { type: 'compaction_rejected', requestId: 'r', reason: 'busy_turn' })).toEqual({
      state: 'idle',
      vendorVersion: '1',
    });
    expect(show(requested, { type: 'compaction_rejected', requestId: 'other', reason: 'busy_turn' })).toMatchObject({
      state: 'compacting',
    });
    expect(show({ type: 'session_closed', why: 'disposed' })).toMatchObject({ state: 'closed' });
  });

  test('T4 the outcome of the turn before a compaction stays', () => {
    const ended = { type: 'turn_ended', outcome: 'aborted', kind: 'prompt' };
    const { statusState } = fold(
      { type: 'turn_started' },
      ended,
      { type: 'turn_started' },
      { type: 'turn_ended', outcome: 'completed', kind: 'compaction' },
    );
    expect(statusState.lastOutcome).toBe('aborted');
  });

  test('a child agent has a state of its own', () => {
    const started = { type: 'task_started', taskId: 't' };
    const child = { type: 'assistant_text', taskId: 't', text: 'x' };
    expect(statusValue(fold(started, child).tasks.t?.status ?? initialStatusState).state).toBe('running');
    expect(fold(started, child, { type: 'task_ended', taskId: 't', outcome: 'completed' }).tasks).toEqual({});
    expect(fold(started).statusState.turn).toBeUndefined();
  });

  test('T3 a corrupt or foreign checkpoint is a coded error', () => {
    const good = { version: 1, runtime: 'claude', cursor: { log: 'L', seq: 3 }, view: initialView };
    expect(parseCheckpoint(JSON.parse(JSON.stringify(good)), 'claude')).toEqual(good);
    const code = (value: unknown, runtime = 'claude') => {
      try {
        return String(parseCheckpoint(value, runtime));
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(code(good, 'codex')).toBe('foreign_checkpoint');
    const corrupt = [
      undefined,
      null,
      '{}',
      {},
      { ...good, cursor: { log: '', seq: 1 } },
      { ...good, view: { statusState: statusValue(initialStatusState), tasks: {} } },
    ];
    expect(code({ ...good, version: 2, news: true })).toBe('newer_checkpoint');
    expect(code({ ...good, view: { ...initialView, statusState: { version: 2 } } })).toBe('newer_checkpoint');
    for (const value of corrupt) expect(code(value)).toBe('corrupt_checkpoint');
  });

  test('R9 what is wrong with a checkpoint is told without what somebody wrote into it', () => {
    const key = 'sk-ant-api03-PLANTEDPLANTEDPLANTEDPLANTED';
    const cursor = { log: 'L', seq: 3 };
    const view = { ...initialView, tasks: { [key]: { id: 5, status: initialStatusState } } };
    const parse = () => parseCheckpoint({ version: 1, runtime: 'claude', cursor, view }, 'claude');
    expect(parse).toThrow(/cannot be read \(view\.tasks\./);
    expect(parse).not.toThrow(/PLANTED/);
  });

  test('T2 an unknown record changes nothing', () => {
    expect(reduceStatus(initialStatusState, at({ type: 'idle' }))).toBe(initialStatusState);
  });
});
