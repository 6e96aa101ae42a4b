import { describe, expect, test } from 'vitest';
import { type Gate, gates, judge, NOISE, parseJsonLine, toJsonLine } from '../bench/gates.ts';
import { pairedRatios, rotated, spread } from '../bench/ratios.ts';

const least: Gate = { name: 'a rate', side: 'least', gate: 0.85, aim: 1.5, unit: '×' };
const most: Gate = { name: 'a cost', side: 'most', gate: 1.15, aim: 1.05, unit: '×' };

describe('the bench', () => {
  test('a gate is met at its value, and the aim is told apart from it', () => {
    expect(judge(least, 0.85)).toEqual({ name: 'a rate', value: 0.85, gate: 0.85, aim: 1.5, hasReachedAim: false, ok: true });
    expect(judge(least, 0.849).ok).toBe(false);
    expect(judge(least, 1.5).hasReachedAim).toBe(true);
    expect(judge(most, 1.15)).toMatchObject({ ok: true, hasReachedAim: false });
    expect(judge(most, 1.16).ok).toBe(false);
    expect(judge(most, 1).hasReachedAim).toBe(true);
  });

  test('the check fails only well outside the noise, on the side that matters', () => {
    expect(judge(least, 0.77, NOISE).ok).toBe(true);
    expect(judge(least, 0.76, NOISE).ok).toBe(false);
    expect(judge(most, 1.26, NOISE).ok).toBe(true);
    expect(judge(most, 1.27, NOISE).ok).toBe(false);
  });

  test('what was not measured is never ok', () => {
    expect(judge(least, undefined, NOISE)).toMatchObject({ ok: false, value: undefined });
    expect(judge(most, Number.NaN).ok).toBe(false);
  });

  test('the last line of a run can be read back', () => {
    const judged = [judge(least, 0.9), judge(most, undefined)];
    const read = parseJsonLine(`a table\nanother line\n${toJsonLine(judged)}\n`);
    expect(read.map(({ name, ok }) => [name, ok])).toEqual([
      ['a rate', true],
      ['a cost', false],
    ]);
    expect(() => parseJsonLine('a table')).toThrow();
    expect(() => parseJsonLine('{"rows":[]}')).toThrow('no gates');
  });

  test('ratios are taken round by round, above one where ours is cheaper', () => {
    expect(pairedRatios([10, 30], [5, 60])).toEqual([2, 0.5]);
    expect(() => pairedRatios([1], [1, 2])).toThrow();
    expect(spread([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 });
    expect(spread([4, 1, 2, 3]).median).toBe(2.5);
    expect(() => spread([])).toThrow();
  });

  test('rounds begin with another each time and leave nobody out', () => {
    expect(rotated(['a', 'b', 'c'], 1)).toEqual(['b', 'c', 'a']);
    expect([...rotated(['a', 'b', 'c'], 5)].sort()).toEqual(['a', 'b', 'c']);
  });

  test('every gate has a name of its own, and an aim that is no easier than the gate', () => {
    expect(new Set(gates.map(({ name }) => name)).size).toBe(gates.length);
    for (const { name, side, gate, aim } of gates)
      if (aim !== undefined) expect(side === 'least' ? aim >= gate : aim <= gate, name).toBe(true);
  });
});
