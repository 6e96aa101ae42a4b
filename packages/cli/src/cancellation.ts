import type { CompactionResult, OpenOptions, Runtime, Session } from '@native-compaction/core';
import { exitCodes } from './exit-codes.ts';
import { takeInterrupts } from './interrupts.ts';
import type { StatusLine } from './status-line.ts';

/** What a cancellation acts upon, and what is to be done before this process is ended from outside. */
interface Cancelled {
  readonly line: StatusLine;
  readonly runtime: Runtime<OpenOptions>;
  leave(): void;
}

/** How one compaction is cancelled from outside: what Ctrl-C and the signals that end a process do to it. */
export interface Cancellation {
  /** Before anything is waited for. */
  begin(cancelled: Cancelled): void;
  compact(session: Session, options: { readonly instructions?: string; readonly timeoutMs?: number }): Promise<CompactionResult>;
  /** Whether somebody wanted it to end while the session was still being opened. */
  readonly isGivenUp: boolean;
  /** Whether the agent was asked to cancel. */
  readonly isAsked: boolean;
  /** Where there is no result. Behind one it stays in force: a Ctrl-C that comes late must not take the place of what was told. */
  stop(): void;
}

/** The first asks the agent to cancel, the second stops the waiting, the third ends this process with what is known by then. */
export function createCancellation(): Cancellation {
  const waiting = new AbortController();
  let cancelled: Cancelled | undefined;
  let current: Session | undefined;
  let isGivenUp = false;
  let isAsked = false;
  let code: number = exitCodes.internal;
  const interrupts = takeInterrupts({
    first() {
      if (current === undefined) {
        cancelled?.line.say('to be cancelled as soon as the session is open', 'Ctrl-C again gives it up.');
        return waiting.abort();
      }
      cancelled?.line.say('asked to cancel, waiting for the native end', 'Ctrl-C again stops waiting.');
      isAsked = true;
      void current.abort();
    },
    second() {
      cancelled?.line.say('no longer waiting');
      waiting.abort();
      if (current !== undefined) return;
      isGivenUp = true;
      void cancelled?.runtime.close();
    },
    third() {
      cancelled?.leave();
      process.exit(code);
    },
  });
  return {
    begin(parts) {
      cancelled = parts;
    },
    get isGivenUp() {
      return isGivenUp;
    },
    get isAsked() {
      return isAsked;
    },
    stop: interrupts.stop,
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
