import type { Judged } from './gates.ts';
import type { Results } from './measure.ts';
import type { Spread } from './ratios.ts';

const shown = (value: Spread | undefined) =>
  value ? `${value.min.toFixed(2)} / ${value.median.toFixed(2)} / ${value.max.toFixed(2)}` : '–';

/** The table of one run: how much of the limit's speed each has, how many times cheaper ours is, and the gates. */
export function toReport({ rows, notes, failures }: Results, judged: readonly Judged[]): string {
  const lines = ['traffic  contestant         × limit (min/median/max)   ours × it                  wall ms  peak MB'];
  for (const { shape, contestant, versusLimit, ours, wallMs, peakMb } of rows)
    lines.push(
      `${shape.padEnd(9)}${contestant.padEnd(19)}${shown(versusLimit).padEnd(27)}${shown(ours).padEnd(27)}${wallMs.toFixed(0).padStart(7)}${peakMb.toFixed(0).padStart(9)}`,
    );
  lines.push('', ...notes, '', `${'gate'.padEnd(52)}   value    gate     aim`);
  for (const { name, value, gate, aim, ok, hasReachedAim } of judged)
    lines.push(
      `${name.padEnd(52)}${String(value ?? '–').padStart(8)}${String(gate).padStart(8)}${String(aim ?? '').padStart(8)}  ${ok ? (hasReachedAim ? 'aim' : 'ok') : 'NOT MET'}`,
    );
  if (failures.length > 0) lines.push('', 'Not measured:', ...failures.map((failure) => `  ${failure}`));
  return lines.join('\n');
}
