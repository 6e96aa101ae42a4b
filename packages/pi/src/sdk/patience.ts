import { NativeCompactionError } from '@native-compaction/core';

/** How long an opening waits for the host's own code and for Pi, neither of which can be cancelled. */
export interface Patience {
  /** Rejects with `open_timeout` or `runtime_closed` while the work is under way; a result that comes after that is discarded. */
  wait<T>(work: Promise<T>, discard?: (late: T) => void): Promise<T>;
  end(): void;
}

export function createPatience(timeoutMs: number, signal: AbortSignal | undefined): Patience {
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  let isOver = false;
  const giveUp = (code: 'open_timeout' | 'runtime_closed', message: string) => {
    isOver = true;
    reject(new NativeCompactionError(code, message));
  };
  const late = `open(): your loader, sessionOptions or Pi did not end within ${timeoutMs} ms. Raise readTimeoutMs, or look there.`;
  const timer = setTimeout(() => giveUp('open_timeout', late), timeoutMs);
  const close = () => giveUp('runtime_closed', 'The runtime was closed before the session was open.');
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();
  return {
    wait(work, discard) {
      work.then(
        (result) => void (isOver && discard?.(result)),
        () => undefined,
      );
      return Promise.race([over, work]);
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', close);
    },
  };
}
