import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { scannerCode } from '../src/secret-scan-wasm.ts';

test('the scanner that runs is the one whose text is read', async () => {
  const text = await readFile(new URL('../src/secret-scan.wat', import.meta.url), 'utf8');
  const { buffer } = (await wabt()).parseWat('secret-scan.wat', text, { simd: true }).toBinary({});
  expect(scannerCode).toBe(Buffer.from(buffer).toString('base64'));
});
