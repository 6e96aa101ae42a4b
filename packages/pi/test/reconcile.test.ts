import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlState } from '@native-compaction/core';
import { toVendorProcess } from '@native-compaction/transport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reconcilePi } from '../src/reconcile.ts';

const dead = { pid: spawnSync(process.execPath, ['-e', '']).pid, started: '1' };
const alive = { process: toVendorProcess(process.pid) };
const REQUESTED = Date.parse('2026-01-02T00:00:00Z');
const at = (offsetMs: number) => new Date(REQUESTED + offsetMs).toISOString();
const [early, late] = [at(-60_000), at(1_000)];

const head = { type: 'session', id: 'id', timestamp: at(-90_000) };
const message = (id: string, timestamp = early) => ({ type: 'message', id, timestamp });
/** The compaction that kept from `kept` on; the answer to our command names it `kept:100`. */
const compaction = (kept: string, timestamp = late) => ({
  type: 'compaction',
  id: `c-${kept}`,
  firstKeptEntryId: kept,
  tokensBefore: 100,
  timestamp,
});
const answered = { nativeKeys: { id: 'command', compaction: 'ours:100' } };
const before = [head, message('first'), message('last')];
const behind = { position: 'last' };

describe('reconcilePi()', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const look = (rows: readonly (object | string)[], control: Partial<ControlState> = {}, name = 'p/x_id.jsonl') => {
    mkdirSync(join(folder, 'p'), { recursive: true });
    writeFileSync(join(folder, name), rows.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n'));
    const known = { requestId: 'r', requestedAtMs: REQUESTED, started: true, nativeKeys: { id: 'command' }, process: dead };
    return reconcilePi({ folder, isGroup: true }, { nativeId: 'id', control: { ...known, ...control } });
  };

  test('compacted: the entry that the answer to our command names, whoever still lives', async () => {
    expect(await look([...before, compaction('ours')], { ...behind, ...answered, ...alive })).toEqual({
      context: 'compacted',
      evidence: [{ kind: 'compaction', row: 4, ids: { id: 'c-ours' } }],
    });
  });

  test('compacted: among older, automatic and later ones of other names, and with a torn row behind it', async () => {
    const rows = [head, compaction('older', early), ...before.slice(1), compaction('ours'), compaction('later'), '{"type":"mess'];
    expect(await look(rows, { ...behind, ...answered })).toMatchObject({ context: 'compacted', evidence: [{ row: 5 }] });
  });

  test.each<[string, object[], Partial<ControlState>]>([
    ['nothing came behind the leaf', before, behind],
    ['an older one came before the leaf', [head, compaction('older', late), ...before.slice(1)], behind],
    ['nothing came behind the last compaction told of', [...before, compaction('older')], { position: 'older:100' }],
    ['without a position, what is older by its time does not count', [...before, compaction('older', early)], {}],
    ['a message came behind the leaf', [...before, message('next', late)], behind],
  ])('unchanged: %s', async (_what, rows, control) => {
    const found = await look(rows, control);
    const kinds = control.position === undefined ? ['process_gone'] : ['process_gone', 'position'];
    expect([found.context, found.evidence.map(({ kind }) => kind)]).toEqual(['unchanged', kinds]);
  });

  test.each<[string, (object | string)[], Partial<ControlState>, string]>([
    ['it may still run', before, { ...behind, ...alive }, 'still_running'],
    ['no process is known', before, { ...behind, process: undefined } as never, 'still_running'],
    ['one behind the leaf, and no answer', [...before, compaction('ours')], behind, 'ambiguous'],
    ['the same by its time alone', [...before, compaction('ours')], {}, 'ambiguous'],
    ['one that bears no time', [...before, compaction('ours', 'odd')], {}, 'ambiguous'],
    ['two of the name that was answered', [...before, compaction('ours'), compaction('ours')], answered, 'ambiguous'],
    ['a torn row', [...before, '{"type":"compac'], behind, 'unreadable'],
    ['the answered one is torn', [...before, '{"type":"compac'], answered, 'unreadable'],
    ['the answered one is not there', before, answered, 'no_source'],
    ['a leaf that is not there', before.slice(0, 2), behind, 'no_source'],
    ['a session that begins later', [{ ...head, timestamp: late }], {}, 'no_source'],
    ['a file without its head', before.slice(1), behind, 'no_source'],
    ['the file of another session', [{ ...head, id: 'other' }, ...before.slice(1)], behind, 'no_source'],
  ])('unknown: %s', async (_what, rows, control, reason) => {
    expect(await look(rows, control)).toMatchObject({ context: 'unknown', reason });
  });

  test('unknown: no file, and two of one session', async () => {
    const control = { requestId: 'r', requestedAtMs: REQUESTED, started: false };
    const nowhere = { folder: join(folder, 'nowhere'), isGroup: true };
    expect(await reconcilePi(nowhere, { nativeId: 'id', control })).toMatchObject({ reason: 'no_source' });
    await look(before, behind);
    expect(await look(before, behind, 'y_id.jsonl')).toMatchObject({ reason: 'no_source' });
  });

  test('R9 evidence holds no text of the session, and looking leaves nothing behind', async () => {
    const rows = [...before, compaction('ours')].map((item) => ({ ...item, summary: 'SECRET', message: 'SECRET' }));
    expect(JSON.stringify(await look(rows, { ...behind, ...answered }))).not.toMatch(/SECRET/);
    expect(JSON.stringify(await look(rows, behind))).not.toMatch(/SECRET/);
    expect(readdirSync(join(folder, 'p'))).toEqual(['x_id.jsonl']);
  });
});
