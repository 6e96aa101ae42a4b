import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checkpoint, initialView } from '@native-compaction/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCheckpointFile } from '../examples/store/checkpoint-file.ts';

const checkpoint: Checkpoint = { version: 1, runtime: 'claude', nativeId: 'n', cursor: { log: 'L', seq: 1 }, view: initialView };
const later = { ...checkpoint, cursor: { log: 'L', seq: 2 } };

describe('the checkpoint file of the examples', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
    file = join(folder, 'checkpoint.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const store = () => openCheckpointFile(file);

  test('E4 what is saved is loaded, is for the owner alone, and nothing stays beside it', () => {
    const before = process.umask(0);
    store().save(checkpoint);
    store().save(later);
    process.umask(before);
    expect(store().load('claude')).toEqual(later);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['checkpoint.json']);
  });

  test('T3 without a file there is nothing to load', () => {
    expect(store().load('claude')).toBeUndefined();
  });

  test.each<[string, string | object, string]>([
    ['torn', JSON.stringify(checkpoint).slice(0, 60), 'corrupt_checkpoint'],
    ['empty', '', 'corrupt_checkpoint'],
    ['edited', { ...checkpoint, cursor: {} }, 'corrupt_checkpoint'],
    ['foreign', { ...checkpoint, runtime: 'codex' }, 'foreign_checkpoint'],
    ['newer', { ...checkpoint, version: 2 }, 'newer_checkpoint'],
  ])('T3 a %s file is detected, and named', (_what, content, code) => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    expect(() => store().load('claude')).toThrow(expect.objectContaining({ code, message: expect.stringContaining(file) }));
  });

  test('E4 a link at the path is not written through, and not read', () => {
    const target = join(folder, 'target');
    writeFileSync(target, JSON.stringify(checkpoint), { mode: 0o644 });
    symlinkSync(target, file);
    expect(() => store().load('claude')).toThrow(expect.objectContaining({ code: 'corrupt_checkpoint' }));
    store().save(later);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(checkpoint);
    expect(store().load('claude')).toEqual(later);
  });

  test('E4 a link beside the path, where the new file is made, is not written through either', () => {
    const target = join(folder, 'target');
    symlinkSync(target, `${file}.new`);
    store().save(checkpoint);
    expect(existsSync(target)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('E4 what a crash left beside the path does not lend its mode to the next one', () => {
    writeFileSync(`${file}.new`, '{"version":1', { mode: 0o644 });
    expect(store().load('claude')).toBeUndefined();
    store().save(checkpoint);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['checkpoint.json']);
  });

  test('T3 a host that dies between the write and the rename leaves the checkpoint before it, whole', () => {
    store().save(checkpoint);
    const program = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      fs.renameSync = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();
      const { openCheckpointFile } = await import(${JSON.stringify(new URL('../examples/store/checkpoint-file.ts', import.meta.url))});
      openCheckpointFile(${JSON.stringify(file)}).save(${JSON.stringify(later)});
    `;
    const flags = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
    const { signal, stderr } = spawnSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' });
    expect([signal, stderr]).toEqual(['SIGKILL', '']);
    expect(readdirSync(folder).sort()).toEqual(['checkpoint.json', 'checkpoint.json.new']);
    expect(store().load('claude')).toEqual(checkpoint);
    store().save(later);
    expect(store().load('claude')).toEqual(later);
  });
});
