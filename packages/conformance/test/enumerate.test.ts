import { describe, expect, test } from 'vitest';
import { disturbances, enumerate } from '../src/enumerate.ts';

describe('enumerate', () => {
  const model = {
    events: [1, 2],
    apply: (sum: number, event: number) => (sum >= 5 ? sum : sum + event),
    check: (_before: number, _event: number, after: number) => (after === 6 ? 'six is broken' : undefined),
  };

  test('runs every sequence, and does not go on where nothing can happen', () => {
    expect(enumerate({ ...model, check: () => undefined }, 0, 3, String)).toEqual({ sequences: 8, steps: 14 });
    expect(enumerate({ ...model, check: () => undefined }, 5, 3, String)).toEqual({ sequences: 0, steps: 2 });
  });

  test('names the first sequence that breaks an invariant', () => {
    expect(() => enumerate(model, 0, 4, String)).toThrow('six is broken: 1 → 1 → 2 → 2');
  });
});

describe('disturbances', () => {
  test('insertions anywhere, each deletion, repetition and swap', () => {
    const all = [...disturbances(['a', 'b'], ['x'], 2)].map((sequence) => sequence.join(''));
    for (const wanted of ['ab', 'b', 'a', 'ba', 'aab', 'abb', 'aba', 'xab', 'axb', 'abx', 'xxab', 'xabx', 'abxx'])
      expect(all).toContain(wanted);
  });
});
