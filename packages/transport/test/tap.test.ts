import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@native-compaction/core';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Unparsed } from '../src/json-lines.ts';
import { createCaptureFile, createTap, type TapLine } from '../src/tap.ts';

describe('captures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'native-compaction-tap-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const redactor = createRedactor({ A_TOKEN: 'planted-secret' });

  test('R9 both directions are redacted before anybody sees them', () => {
    const lines: TapLine[] = [];
    const tap = createTap((line) => void lines.push(line), redactor, 7);
    tap('in', { text: 'planted-secret' });
    tap('out', { text: ['planted-secret'] });
    tap('in', new Unparsed('noise', 'planted-secret', 14));
    expect(lines.map(({ dir, pid }) => [dir, pid])).toEqual([
      ['in', 7],
      ['out', 7],
      ['in', 7],
    ]);
    expect(JSON.stringify(lines)).not.toContain('planted-secret');
  });

  test('a tap that throws what has no text is warned of as well', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const thrown = Object.create(null);
    createTap(
      () => {
        throw thrown;
      },
      redactor,
      7,
    )('in', {});
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  test('a tap that throws is warned of once, and stops nothing', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const tap = createTap(
      () => {
        throw new Error('disk full at planted-secret');
      },
      redactor,
      7,
    );
    tap('in', {});
    tap('in', {});
    expect(warn).toHaveBeenCalledTimes(1);
    expect(String(warn.mock.calls[0]?.[0])).not.toContain('planted-secret');
    warn.mockRestore();
  });

  test('E4 a capture file is made 0600, is new, and is never reached through a link', () => {
    const path = join(folder, 'capture.jsonl');
    const file = createCaptureFile(path);
    file.tap({ t: 1, pid: 2, dir: 'in', frame: { a: '\u001b]0;x' } });
    file.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ t: 1, pid: 2, dir: 'in', frame: { a: '\u001b]0;x' } });
    writeFileSync(join(folder, 'target'), 'keep me');
    symlinkSync(join(folder, 'target'), join(folder, 'link'));
    for (const taken of [path, join(folder, 'link'), join(folder, 'no/folder')]) {
      expect(() => createCaptureFile(taken)).toThrow(expect.objectContaining({ code: 'capture_failed' }));
    }
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('keep me');
  });
});
