import { expect, test } from 'vitest';
import { growthOf, takeStock } from '../src/leaks.ts';

const LENGTH = 24_000_000;

test('R5 the stock counts what is held, and not the text that an expression matched last', async () => {
  const before = await takeStock();
  expect(/b?$/.exec('a'.repeat(LENGTH))?.index).toBe(LENGTH);
  expect(growthOf(before, await takeStock()).heapBytes).toBeLessThan(LENGTH / 4);
  const held = Array.from({ length: LENGTH / 24 }, (_none, at) => ({ at }));
  expect(growthOf(before, await takeStock()).heapBytes).toBeGreaterThan(LENGTH / 2);
  expect(held).toHaveLength(LENGTH / 24);
});
