import { createRedactor } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { StderrTail } from '../src/stderr-tail.ts';

const token = 'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(4);
const redactor = createRedactor({ MY_TOKEN: token });
const tail = (text: string, size = 4_000) => {
  const kept = new StderrTail(redactor);
  for (let at = 0; at < text.length; at += size) kept.push(Buffer.from(text.slice(at, at + size)));
  return kept.text();
};
/** Any piece of the secret that somebody could use. */
const pieces = [token.slice(0, 12), token.slice(50, 62), token.slice(-12)];

describe('StderrTail', () => {
  test('R9 what is cut off is never the front of a secret, wherever the cut falls', () => {
    for (let pad = 0; pad < 160; pad += 1) {
      const text = tail(`${'x'.repeat(pad)} ${`k=${token} `.repeat(1_500)}`);
      for (const piece of pieces) expect(text).not.toContain(piece);
      expect(text.length).toBeLessThanOrEqual(4_096);
    }
  });

  test('R9 a private key whose beginning was cut off does not stay', () => {
    const body = `${'MIIEabc123+/'.repeat(5)}\n`.repeat(2_500);
    const text = tail(`-----BEGIN RSA PRIVATE KEY-----\n${body}-----END RSA PRIVATE KEY-----\nlast words\n`);
    expect(text).not.toContain('MIIEabc123');
    expect(text).toContain('last words');
  });

  test('a short one is kept whole', () => {
    expect(tail('it says why\n')).toBe('it says why\n');
    expect(tail('')).toBe('');
  });
});
