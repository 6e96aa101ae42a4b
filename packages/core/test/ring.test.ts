import { describe, expect, test } from 'vitest';
import { Ring } from '../src/ring.ts';

describe('Ring', () => {
  test('keeps the newest values by count and knows their numbers', () => {
    const ring = new Ring<string>(3, Number.POSITIVE_INFINITY);
    expect([ring.oldest, ring.newest]).toEqual([1, 0]);
    for (const value of ['a', 'b', 'c', 'd', 'e']) ring.push(value, 1);
    expect([ring.oldest, ring.newest]).toEqual([3, 5]);
    expect([2, 3, 4, 5, 6].map((number) => ring.get(number))).toEqual([undefined, 'c', 'd', 'e', undefined]);
  });

  test('drops by bytes too, but never the newest', () => {
    const ring = new Ring<string>(10, 100);
    ring.push('small', 40);
    ring.push('more', 60);
    expect(ring.oldest).toBe(1);
    ring.push('huge', 5_000);
    expect([ring.oldest, ring.get(3)]).toEqual([3, 'huge']);
    ring.push('next', 1);
    expect([ring.oldest, ring.get(4)]).toEqual([4, 'next']);
  });

  test('counts the bytes after a place', () => {
    const ring = new Ring<number>(4, Number.POSITIVE_INFINITY);
    for (const bytes of [1, 10, 100, 1_000, 10_000]) ring.push(bytes, bytes);
    expect([0, 1, 2, 3, 4, 5, 9].map((number) => ring.bytesAfter(number))).toEqual([
      11_110, 11_110, 11_100, 11_000, 10_000, 0, 0,
    ]);
  });
});
