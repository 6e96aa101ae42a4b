/** Numbered values, newest kept, bounded by count and by bytes; the newest one always stays. Grows to `capacity` and then reuses its slots. */
export class Ring<T> {
  readonly #values: (T | undefined)[] = [];
  readonly #totals: number[] = []; // bytes pushed up to and including each value
  readonly #capacity: number;
  readonly #maxBytes: number;
  #oldest = 1;
  #newest = 0;
  #total = 0;
  #dropped = 0; // bytes pushed up to the last value that was dropped

  constructor(capacity: number, maxBytes: number) {
    this.#capacity = capacity;
    this.#maxBytes = maxBytes;
  }

  /** Appends under the next number and returns it. Numbers are consecutive. */
  push(value: T, bytes: number): number {
    if (this.#newest - this.#oldest + 1 === this.#capacity) this.#drop();
    this.#newest += 1;
    this.#total += bytes;
    const slot = this.#slot(this.#newest);
    this.#values[slot] = value;
    this.#totals[slot] = this.#total;
    while (this.#total - this.#dropped > this.#maxBytes && this.#oldest < this.#newest) this.#drop();
    return this.#newest;
  }

  get(number: number): T | undefined {
    return number >= this.#oldest && number <= this.#newest ? this.#values[this.#slot(number)] : undefined;
  }

  /** The number of the oldest value kept; one above `newest` when there is none. */
  get oldest(): number {
    return this.#oldest;
  }

  get newest(): number {
    return this.#newest;
  }

  /** Bytes of the kept values numbered above `number`. */
  bytesAfter(number: number): number {
    if (number < this.#oldest) return this.#total - this.#dropped;
    return number > this.#newest ? 0 : this.#total - (this.#totals[this.#slot(number)] ?? 0);
  }

  #slot(number: number): number {
    return (number - 1) % this.#capacity;
  }

  #drop(): void {
    const slot = this.#slot(this.#oldest);
    this.#values[slot] = undefined;
    this.#dropped = this.#totals[slot] ?? this.#dropped;
    this.#oldest += 1;
  }
}
