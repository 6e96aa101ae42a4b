/** Time as the loop sees it, so that a test can own it. Times are milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Calls `run` once after `delayMs`; 0 means the next turn of the event loop. */
  after(delayMs: number, run: () => void): { cancel(): void };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    if (delayMs === 0) {
      const immediate = setImmediate(run);
      return { cancel: () => clearImmediate(immediate) };
    }
    const timer = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
