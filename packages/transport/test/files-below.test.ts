import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allBelow, filesBelow } from '../src/files-below.ts';

test('each file once, also where links go in circles; none where there is no folder', async () => {
  const root = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'a/b'), { recursive: true });
  writeFileSync(join(root, 'a/b/x-id.jsonl'), '');
  writeFileSync(join(root, 'a/other.jsonl'), '');
  symlinkSync('../a', join(root, 'a/again'));
  symlinkSync('..', join(root, 'a/b/up'));
  expect(await filesBelow(root, '-id.jsonl')).toEqual([join(root, 'a/b/x-id.jsonl')]);
  expect(await filesBelow(join(root, 'none'), '-id.jsonl')).toEqual([]);
  const all = ['a/again', 'a/b/up', 'a/b/x-id.jsonl', 'a/other.jsonl'].map((path) => join(root, path));
  expect(allBelow(root).toSorted()).toEqual(all);
  expect(allBelow(join(root, 'none'))).toEqual([]);
});
