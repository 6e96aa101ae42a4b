import type { CompactionResult, OpenOptions, Runtime, Session } from '@native-compaction/core';
import { exitCodes } from './exit-codes.ts';
import { takeInterrupts } from './interrupts.ts';
import type { StatusLine } from './status-line.ts';

/** How one compaction is cancelled from outside: what Ctrl-C and the signals that end a process do to it. */
export interface Cancellation {
  compact(session: Session, options: { readonly instructions?: string; readonly timeoutMs?: number }): Promise<CompactionResult>;
  /** Whether somebody wanted it to end while the session was still being opened. */
  readonly isGivenUp: boolean;
}

/**
 * The first asks the agent to cancel, the second stops the waiting, the third ends this process with what is known by then.
 * It stays in force: a Ctrl-C that comes late must not take the place of a result that was told.
 */
export function createCancellation(line: StatusLine, runtime: Runtime<OpenOptions>, leave: () => void): Cancellation {
  const waiting = new AbortController();
  let current: Session | undefined;
  let isGivenUp = false;
  let code: number = exitCodes.internal;
  takeInterrupts({
    first() {
      if (current === undefined) {
        line.say('to be cancelled as soon as the session is open (Ctrl-C again gives it up)');
        return waiting.abort();
      }
      line.say('asked to cancel, waiting for the native end (Ctrl-C again stops waiting)');
      void current.abort();
    },
    second() {
      line.say('no longer waiting');
      waiting.abort();
      if (current !== undefined) return;
      isGivenUp = true;
      void runtime.close();
    },
    third() {
      leave();
      process.exit(code);
    },
  });
  return {
    get isGivenUp() {
      return isGivenUp;
    },
    async compact(session, options) {
      current = session;
      // Once it is sent nobody can say how it ends, until it has.
      session.on('record', ({ type }) => {
        if (type === 'compaction_dispatched') code = exitCodes.unconfirmed;
      });
      const result = await session.compact({ ...options, signal: waiting.signal });
      code = exitCodes[result.status];
      return result;
    },
  };
}
