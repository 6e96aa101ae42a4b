/** The middle of the values, and what lies around it. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) throw new Error('spread(): no values.');
  return { min: sorted[0] ?? low, median: (low + high) / 2, max: sorted.at(-1) ?? high };
}

/** How many times cheaper `own` was than `base`, round by round: both of one round saw the same machine at the same time. */
export function pairedRatios(base: readonly number[], own: readonly number[]): readonly number[] {
  if (base.length !== own.length) throw new Error(`pairedRatios(): ${base.length} and ${own.length} rounds.`);
  return own.map((cost, round) => (base[round] ?? Number.NaN) / cost);
}

/** The list of one round, begun at another place each time, so that nobody is always first. */
export function rotated<T>(items: readonly T[], round: number): readonly T[] {
  const start = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
