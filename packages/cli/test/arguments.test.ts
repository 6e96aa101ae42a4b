import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCount, parseDuration, parseText } from '../src/arguments.ts';

describe('arguments', () => {
  test.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['1.5m', 90_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
  ])('%s is %i ms', (value, durationMs) => expect(parseDuration(value)).toBe(durationMs));

  test.each(['', '10', '10 m', '-1s', '1d', 'm', '1e3s', '10mm'])('"%s" is no duration', (value) =>
    expect(() => parseDuration(value)).toThrow(/with its unit/),
  );

  test.each(['0s', '0ms', '0.1ms'])('%s would end every wait before it began', (value) =>
    expect(() => parseDuration(value)).toThrow(/more than nothing/),
  );

  test('a duration no timer can hold is refused', () => expect(() => parseDuration('600h')).toThrow(/longer than a timer/));

  test('a text is itself, and @ names a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
    try {
      writeFileSync(join(folder, 'prompt'), 'from a file\n');
      writeFileSync(join(folder, 'empty'), '');
      expect(parseText('be brief')).toBe('be brief');
      expect(parseText(`@${folder}/prompt`)).toBe('from a file\n');
      expect(() => parseText(`@${folder}/empty`)).toThrow(/empty/);
      expect(() => parseText(`@${folder}/none`)).toThrow(/cannot be read \(ENOENT\)/);
      expect(() => parseText('')).toThrow(/empty/);
      for (const bytes of [
        [0x61, 0xff, 0xfe],
        [0x61, 0],
      ]) {
        writeFileSync(join(folder, 'binary'), Buffer.from(bytes));
        expect(() => parseText(`@${folder}/binary`)).toThrow(/no text/);
      }
      expect(() => parseText('@/dev/zero')).toThrow(/longer than 16 MB/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each(['0', '-1', '1.5', 'x', ''])('"%s" is no count', (value) => expect(() => parseCount(value)).toThrow(/whole number/));
});
