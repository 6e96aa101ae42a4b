import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process holds at one moment. */
export interface Holdings {
  /** Open file descriptors; 0 where the platform does not tell. */
  readonly descriptors: number;
  /** Listeners on `process`. */
  readonly listeners: number;
  /** Sockets, pipes, servers and timers that keep the event loop busy. */
  readonly resources: number;
  readonly heapBytes: number;
}

/** Takes stock once what has ended is gone too: collects until nothing more is freed, with turns of the event loop between. */
export async function takeStock(): Promise<Holdings> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /^/.test(''); // Node 24 keeps the text that an expression matched last, which may be a whole transcript.
  let heapBytes = Number.POSITIVE_INFINITY;
  for (let isShrinking = true; isShrinking; ) {
    collect();
    await new Promise((done) => setImmediate(done));
    const { heapUsed } = process.memoryUsage();
    isShrinking = heapUsed < heapBytes;
    heapBytes = Math.min(heapBytes, heapUsed);
  }
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return {
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    listeners,
    resources: process.getActiveResourcesInfo().length,
    heapBytes,
  };
}

/** What is held now and was not before. */
export function growthOf(before: Holdings, after: Holdings): Holdings {
  return {
    descriptors: after.descriptors - before.descriptors,
    listeners: after.listeners - before.listeners,
    resources: after.resources - before.resources,
    heapBytes: after.heapBytes - before.heapBytes,
  };
}
