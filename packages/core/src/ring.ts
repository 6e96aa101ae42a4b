/** Numbered values, newest kept, bounded by count and by bytes; the newest one always stays. Numbers are consecutive. */
export interface Ring<T> {
  /** Appends under the next number and returns it. */
  push(value: T, bytes: number): number;
  get(number: number): T | undefined;
  /** The number of the oldest value kept; `newest() + 1` when there is none. */
  oldest(): number;
  newest(): number;
  /** Bytes of the kept values numbered above `number`. */
  bytesAfter(number: number): number;
}

/** Grows to `capacity` slots and then reuses them, so that an idle session holds almost nothing. */
export function createRing<T>(capacity: number, maxBytes: number): Ring<T> {
  const values: (T | undefined)[] = [];
  const totals: number[] = []; // bytes pushed up to and including each value
  let oldest = 1;
  let newest = 0;
  let total = 0;
  let dropped = 0; // bytes pushed up to the last value that was dropped

  const slot = (number: number) => (number - 1) % capacity;
  const drop = () => {
    values[slot(oldest)] = undefined;
    dropped = totals[slot(oldest)] ?? dropped;
    oldest += 1;
  };

  return {
    push(value, bytes) {
      if (newest - oldest + 1 === capacity) drop();
      newest += 1;
      total += bytes;
      values[slot(newest)] = value;
      totals[slot(newest)] = total;
      while (total - dropped > maxBytes && oldest < newest) drop();
      return newest;
    },
    get: (number) => (number >= oldest && number <= newest ? values[slot(number)] : undefined),
    oldest: () => oldest,
    newest: () => newest,
    bytesAfter: (number) => total - (number < oldest ? dropped : number > newest ? total : (totals[slot(number)] ?? 0)),
  };
}
