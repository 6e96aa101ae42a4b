import type { Clock } from './clock.ts';
import { NativeCompactionError } from './errors.ts';
import type { ExitFacts } from './machine.ts';

/** Waits until the native side has opened the session; the error says what the process said, or how long it was silent. */
export interface Opening {
  opened(): void;
  ended(exit: ExitFacts): void;
  readonly done: Promise<void>;
}

export function createOpening(clock: Clock, timeoutMs: number): Opening {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = clock.after(timeoutMs, () => {
    const message = `The vendor process did not open the session within ${timeoutMs} ms. Raise readTimeoutMs, or try it by hand.`;
    reject(new NativeCompactionError('open_timeout', message));
  });
  const stop = () => timer.cancel();
  promise.then(stop, stop);
  return {
    opened: resolve,
    ended: (exit) => reject(openFailure(exit)),
    done: promise,
  };
}

function openFailure(exit: ExitFacts): NativeCompactionError {
  const said = exit.stderrTail?.trim() || 'it said nothing on stderr';
  const how = exit.signal ? `signal ${exit.signal}` : `code ${exit.code ?? 'unknown'}`;
  return new NativeCompactionError('open_failed', `The vendor process ended before it opened the session (${how}): ${said}`);
}
