import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlState } from '@native-compaction/core';
import { toVendorProcess } from '@native-compaction/transport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reconcileClaude } from '../src/reconcile.ts';

const dead = { pid: spawnSync(process.execPath, ['-e', '']).pid, started: '1' };
const DISPATCHED = Date.parse('2026-01-02T00:00:00Z');
const early = '2026-01-01T00:00:00Z';
const late = '2026-01-02T00:00:01Z';

const row = (uuid: string, parentUuid: string | null, more: object = {}) => ({
  uuid,
  parentUuid,
  timestamp: late,
  type: 'user',
  ...more,
});
const first = row('first', null, { timestamp: early });
const last = row('last', 'first', { type: 'assistant', timestamp: early });
const boundary = (name: string, trigger = 'manual', timestamp = late) =>
  row(`b-${name}`, null, { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger }, timestamp });
const summary = (name: string) => row(`s-${name}`, `b-${name}`, { isCompactSummary: true, promptId: name });
const caveat = (name: string) => row(`m-${name}`, `s-${name}`, { isMeta: true, promptId: name });
const command = (name: string, parent = `m-${name}`) => row(`c-${name}`, parent, { promptId: name });
const compaction = (name: string) => [boundary(name), summary(name), caveat(name), command(name)];
const without = (index: number) => compaction('ours').filter((_row, at) => at !== index);
const torn = (index: number) => [first, last, ...compaction('ours').map((item, at) => (at === index ? '{"uuid":"torn' : item))];
const failed = (name: string, parent = 'last') => [
  row(`m-${name}`, parent, { isMeta: true, promptId: name }),
  command(name),
  row(`e-${name}`, `c-${name}`, { type: 'system', subtype: 'local_command', commandOutcome: { kind: 'failed' } }),
];

describe('reconcileClaude()', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const look = (rows: readonly (object | string)[], control: Partial<ControlState> = {}, project = 'p') => {
    mkdirSync(join(home, 'projects', project), { recursive: true });
    const lines = rows.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    writeFileSync(join(home, 'projects', project, 'id.jsonl'), lines.join('\n'));
    const known = {
      requestId: 'r',
      requestedAtMs: DISPATCHED,
      started: true,
      nativeKeys: { command_uuid: 'c-ours' },
      process: dead,
    };
    return reconcileClaude({ CLAUDE_CONFIG_DIR: home }, { nativeId: 'id', control: { ...known, position: 'last', ...control } });
  };
  const alive = { process: toVendorProcess(process.pid) };

  test('compacted: the command stands behind the summary of a manual boundary', async () => {
    expect(await look([first, last, ...compaction('ours')], alive)).toEqual({
      context: 'compacted',
      evidence: [
        { kind: 'compact_boundary', row: 3, ids: { uuid: 'b-ours' } },
        { kind: 'summary', row: 4, ids: { uuid: 's-ours' } },
        { kind: 'command', row: 6, ids: { uuid: 'c-ours' } },
      ],
    });
  });

  test.each<[string, object[]]>([
    ['nothing came behind the position', []],
    ['it failed', failed('ours')],
    ['it failed behind an older one', [...compaction('older'), ...failed('ours', 'c-older')]],
    ['an older and a later one are somebody else’s', [...compaction('older'), ...compaction('later')]],
    ['an automatic one came', [boundary('x', 'auto'), summary('x')]],
    ['a child agent has a boundary of its own', [{ ...boundary('x'), isSidechain: true }]],
  ])('unchanged: %s', async (_what, rows) => {
    expect(await look([first, last, ...rows])).toMatchObject({ context: 'unchanged' });
  });

  test('unchanged: without a position, what is older by its time does not count', async () => {
    const old = { ...boundary('x'), timestamp: early };
    expect(await look([first, old, last], { position: undefined } as never)).toMatchObject({ context: 'unchanged' });
  });

  test.each<[string, (object | string)[], Partial<ControlState>, string]>([
    ['it may still run', [first, last], alive, 'still_running'],
    ['no process is known', [first, last], { process: undefined } as never, 'still_running'],
    ['a manual boundary nobody claims', [first, last, boundary('x'), summary('x')], {}, 'ambiguous'],
    ['the same with a caveat behind it', [first, last, boundary('x'), summary('x'), caveat('x')], {}, 'ambiguous'],
    ['a summary behind no boundary', [first, last, summary('ours'), caveat('ours'), command('ours')], {}, 'ambiguous'],
    ['a summary of ours elsewhere', [first, last, ...compaction('ours').slice(0, 2), command('ours', 'last')], {}, 'ambiguous'],
    [
      'an automatic boundary before the summary',
      [first, boundary('ours', 'auto'), ...compaction('ours').slice(1)],
      {},
      'ambiguous',
    ],
    [
      'what a command printed, without the command',
      [first, last, ...compaction('x').slice(0, 3), row('o-x', 'c-x', { promptId: 'x' })],
      {},
      'ambiguous',
    ],
    [
      'a command whose rows go in a circle',
      [first, last, row('m-ours', 'c-ours', { promptId: 'ours' }), command('ours')],
      {},
      'ambiguous',
    ],
    [
      'a boundary that may be ours when our uuid is not known',
      [first, last, ...compaction('x')],
      { nativeKeys: undefined } as never,
      'ambiguous',
    ],
    ['a torn row', [first, last, '{"uuid":"b-ou'], {}, 'unreadable'],
    ['a torn summary behind which the command stands', torn(1), {}, 'unreadable'],
    ['a torn row between summary and command', torn(2), {}, 'unreadable'],
    ['a summary that was taken out', [first, last, ...without(1)], {}, 'no_source'],
    ['a boundary that was taken out', [first, last, ...without(0)], {}, 'ambiguous'],
    ['a row between that was taken out', [first, last, ...without(2)], {}, 'no_source'],
    ['a beginning that was cut off', [...failed('ours')], {}, 'no_source'],
    ['a command without the mark of its rows', [first, last, row('c-ours', 'last')], {}, 'ambiguous'],
    ['a position that is not there', [first], {}, 'no_source'],
    ['a file that begins later', [row('first', null)], { position: undefined } as never, 'no_source'],
  ])('unknown: %s', async (_what, rows, control, reason) => {
    expect(await look(rows, control)).toMatchObject({ context: 'unknown', reason });
  });

  test('unknown: a session id that is a path', async () => {
    await look([first, last, ...compaction('ours')]);
    const control = { requestId: 'r', requestedAtMs: DISPATCHED, started: false, process: dead };
    const operation = { nativeId: '../p/id', control };
    expect(await reconcileClaude({ CLAUDE_CONFIG_DIR: home }, operation)).toMatchObject({ reason: 'no_source' });
  });

  test('unknown: no transcript, and two of one name', async () => {
    await look([first, last, ...compaction('ours')]);
    expect(await look([first], {}, 'q')).toMatchObject({ reason: 'no_source' });
    rmSync(join(home, 'projects'), { recursive: true });
    const control = { requestId: 'r', requestedAtMs: DISPATCHED, started: false };
    expect(await reconcileClaude({ CLAUDE_CONFIG_DIR: home }, { nativeId: 'id', control })).toMatchObject({
      reason: 'no_source',
    });
  });

  test('a project that a link leads to is the same one', async () => {
    await look([first, last, ...compaction('ours')]);
    symlinkSync('p', join(home, 'projects', 'moved'));
    expect(await look([first, last, ...compaction('ours')])).toMatchObject({ context: 'compacted' });
  });

  test('R9 evidence holds no text of the session, and looking leaves nothing behind', async () => {
    const found = await look([first, last, ...compaction('ours').map((item) => ({ ...item, message: { content: 'SECRET' } }))]);
    expect(JSON.stringify(found)).not.toMatch(/SECRET/);
    expect(readdirSync(join(home, 'projects', 'p'))).toEqual(['id.jsonl']);
  });
});
