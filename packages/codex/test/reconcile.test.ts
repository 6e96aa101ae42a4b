import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlState } from '@native-compaction/core';
import { toVendorProcess } from '@native-compaction/transport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reconcileCodex } from '../src/reconcile.ts';

const dead = { pid: spawnSync(process.execPath, ['-e', '']).pid, started: '1' };
const REQUESTED = Date.parse('2026-01-02T00:00:00Z');
/** A turn id made so many milliseconds after the request. */
const turnAt = (offsetMs: number) => {
  const digits = (REQUESTED + offsetMs).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
};
const [BEFORE, OURS, LATER] = [turnAt(-60_000), turnAt(5), turnAt(60_000)];

const meta = { type: 'session_meta', payload: { id: 'thread', timestamp: '2026-01-01T00:00:00Z' } };
const event = (type: string, turn_id: string, more: object = {}) => ({ type: 'event_msg', payload: { type, turn_id, ...more } });
const compacted = { type: 'compacted', payload: {} };
const input = (turnId: string) => event('item_completed', turnId, { item: { type: 'UserMessage' } });
const start = (turnId: string) => event('task_started', turnId);
const end = (turnId: string) => event('task_complete', turnId);
const turn = (turnId: string, ...rows: object[]) => [start(turnId), ...rows, end(turnId)];
const before = [meta, ...turn(BEFORE, input(BEFORE))];

describe('reconcileCodex()', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const look = (rows: readonly (object | string)[], control: Partial<ControlState> = {}, day = '2026/01/01') => {
    mkdirSync(join(home, 'sessions', day), { recursive: true });
    const lines = rows.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    writeFileSync(join(home, 'sessions', day, 'rollout-x-thread.jsonl'), lines.join('\n'));
    const known = { requestId: 'r', requestedAtMs: REQUESTED, started: true, process: dead };
    return reconcileCodex({ CODEX_HOME: home }, { nativeId: 'thread', control: { ...known, ...control } });
  };
  const bound = { nativeKeys: { turnId: OURS }, position: BEFORE };
  const alive = { process: toVendorProcess(process.pid) };

  test('compacted: the bound turn replaced the history', async () => {
    const ids = { turnId: OURS };
    expect(await look([...before, ...turn(OURS, compacted)], { ...bound, ...alive })).toEqual({
      context: 'compacted',
      evidence: [
        { kind: 'task_started', row: 5, ids },
        { kind: 'compacted', row: 6, ids },
        { kind: 'task_complete', row: 7, ids },
      ],
    });
  });

  test('compacted: the start of the bound turn was written twice', async () => {
    expect(await look([...before, start(OURS), ...turn(OURS, compacted)], bound)).toMatchObject({ context: 'compacted' });
  });

  test.each<[string, object[], Partial<ControlState>]>([
    ['the bound turn ended without', turn(OURS), { ...bound, ...alive }],
    ['the bound turn was cut off', [start(OURS)], bound],
    ['the bound turn left nothing', [], bound],
    ['a later turn compacted, by hand or not', [...turn(OURS), ...turn(LATER, compacted)], bound],
    ['a turn with an input compacted by itself', turn(LATER, compacted, input(LATER)), { position: BEFORE }],
    ['an older one compacted', [], { position: BEFORE }],
  ])('unchanged: %s', async (_what, rows, control) => {
    const older = turn(turnAt(-90_000), compacted);
    expect(await look([meta, ...older, ...turn(BEFORE, input(BEFORE)), ...rows], control)).toMatchObject({
      context: 'unchanged',
    });
  });

  test('unchanged: without a position, a turn made before the request is older', async () => {
    expect(await look([meta, ...turn(BEFORE, compacted)])).toMatchObject({ context: 'unchanged' });
  });

  test.each<[string, (object | string)[], Partial<ControlState>, string]>([
    ['it may still run', [...before, start(OURS)], { ...bound, ...alive }, 'still_running'],
    ['it may still start', before, { position: BEFORE, ...alive }, 'still_running'],
    ['no process is known', before, { ...bound, process: undefined } as never, 'still_running'],
    [
      'a turn without input compacted, and none was bound',
      [...before, ...turn(OURS, compacted)],
      { position: BEFORE },
      'ambiguous',
    ],
    ['the same without a position', [...before, ...turn(LATER, compacted)], {}, 'ambiguous'],
    ['a turn that bears no time compacted', [...before, ...turn('odd', compacted)], {}, 'ambiguous'],
    ['a replacement outside every turn', [...before, compacted], bound, 'ambiguous'],
    ['the same behind the bound turn', [...before, ...turn(OURS), compacted], bound, 'ambiguous'],
    ['a torn row', [...before, '{"type":"compac'], bound, 'unreadable'],
    ['a position that is not there', [meta], bound, 'no_source'],
    [
      'a rollout of another thread',
      [{ ...meta, payload: { id: 'other' } }, ...before.slice(1), ...turn(OURS, compacted)],
      bound,
      'no_source',
    ],
    ['a rollout that begins later', [{ ...meta, payload: { id: 'thread', timestamp: '2026-01-03T00:00:00Z' } }], {}, 'no_source'],
  ])('unknown: %s', async (_what, rows, control, reason) => {
    expect(await look(rows, control)).toMatchObject({ context: 'unknown', reason });
  });

  test('the fork of a thread holds the rows of the other one behind its own head', async () => {
    const parent = { ...meta, payload: { id: 'parent', timestamp: '2025-01-01T00:00:00Z' } };
    expect(await look([meta, parent, ...turn(BEFORE, input(BEFORE)), ...turn(OURS, compacted)], bound)).toMatchObject({
      context: 'compacted',
    });
  });

  test('unknown: no rollout, and two of one thread', async () => {
    const control = { requestId: 'r', requestedAtMs: REQUESTED, started: false };
    expect(await reconcileCodex({ CODEX_HOME: home }, { nativeId: 'thread', control })).toMatchObject({ reason: 'no_source' });
    await look(before, bound);
    expect(await look(before, bound, '2026/01/02')).toMatchObject({ reason: 'no_source' });
  });
});
