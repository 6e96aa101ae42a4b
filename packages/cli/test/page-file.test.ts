import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPageFile } from '../src/page-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a page is a new file of mode 0600, and is not written over a file or through a link', () => {
  const [target, link] = [join(folder, 'target'), join(folder, 'link')];
  writeFileSync(target, 'mine');
  symlinkSync(target, link);
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  for (const path of [target, link, join(folder, 'dangling'), join(folder, 'none/file')])
    expect(() => createPageFile(path)).toThrow(/Name a new file/);
  expect(readFileSync(target, 'utf8')).toBe('mine');
  createPageFile(join(folder, 'page.html')).write('page');
  expect(statSync(join(folder, 'page.html')).mode & 0o777).toBe(0o600);
});
