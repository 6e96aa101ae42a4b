import { describe, expect, test } from 'vitest';
import { disturbances, enumerate, insertions } from '../src/enumerate.ts';

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

  test('counts a sequence with an event that changes nothing as the shorter one that it equals', () => {
    const { sequences, steps } = enumerate({ ...model, events: [1, 2, 0], check: () => undefined }, 0, 3, String);
    expect({ sequences, steps }).toEqual({ sequences: 27, steps: 21 });
  });

  test('names the first sequence that breaks an invariant', () => {
    expect(() => enumerate(model, 0, 4, String)).toThrow('six is broken: 1 → 1 → 2 → 2');
  });
});

describe('insertions', () => {
  const model = {
    events: ['x', 'y', '-'],
    apply: (text: string, event: string) => (event === '-' ? text : text + event),
    check: () => undefined,
  };

  test('every way to put up to two other events at any places, once each', () => {
    const seen = new Set<string>();
    const { sequences } = insertions(model, '', ['a', 'b'], 2, String, (text) => void seen.add(text));
    // One place of three for one of three events, and two of them at places in order: those with "-" equal shorter ones.
    expect(sequences).toBe(1 + 3 * 3 + 6 * 9);
    expect(seen.size).toBe(1 + 3 * 2 + 6 * 4);
    for (const wanted of ['ab', 'xab', 'axb', 'aby', 'xayb', 'axyb', 'abyx']) expect(seen).toContain(wanted);
  });

  test('names what was put in when an end is wrong', () => {
    expect(() => insertions(model, '', ['a'], 1, String, (text) => (text === 'ay' ? 'wrong' : undefined))).toThrow(
      'wrong, with y in a',
    );
  });
});

describe('disturbances', () => {
  test('each deletion, repetition and swap', () => {
    const all = [...disturbances(['a', 'b'])].map((sequence) => sequence.join(''));
    for (const wanted of ['ab', 'b', 'a', 'ba', 'aab', 'abb', 'aba']) expect(all).toContain(wanted);
  });
});
