import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readJsonLines } from '../src/json-line-file.ts';
import { Unparsed } from '../src/json-lines.ts';

describe('readJsonLines()', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = async (name: string) => {
    const rows: unknown[] = [];
    const isThere = await readJsonLines(join(folder, name), (row, number) => rows.push([number, row instanceof Unparsed ? 'odd' : row])); // biome-ignore format: one call
    return [isThere, rows];
  };

  test('E5 rows are counted from 1, and a torn one at the end is told', async () => {
    writeFileSync(join(folder, 'file'), '{"a":1}\n[2]\n{"b":2}\n{"c":');
    expect(await read('file')).toEqual([
      true,
      [
        [1, { a: 1 }],
        [2, 'odd'],
        [3, { b: 2 }],
        [4, 'odd'],
      ],
    ]);
  });

  test('what is no file holds no rows, and nothing waits for it', async () => {
    mkdirSync(join(folder, 'folder'));
    expect(spawnSync('mkfifo', [join(folder, 'pipe')]).status).toBe(0);
    for (const name of ['nothing', 'folder', 'pipe']) expect(await read(name), name).toEqual([false, []]);
  });
});
