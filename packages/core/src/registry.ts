import { NativeCompactionError } from './errors.ts';
import type { Session } from './session.ts';

/** The sessions of one runtime: one at a time per native session, and none after `close()`. */
export interface Registry {
  /**
   * Opens a session through `connect`. Rejects with `session_held` while another one of this runtime has the native session
   * `resume` (two would write over each other's history), and with `runtime_closed` once the runtime is closed.
   */
  open(resume: string | undefined, connect: (signal: AbortSignal) => Promise<Session>): Promise<Session>;
  /** Disposes every session and gives up those still opening; resolves when no process of them is left. */
  close(): Promise<void>;
}

export function createRegistry(): Registry {
  const sessions = new Set<Session>();
  const opening = new Map<Promise<Session>, string | undefined>();
  const closing = new AbortController();

  const check = (resume: string | undefined) => {
    if (closing.signal.aborted) throw new NativeCompactionError('runtime_closed', 'This runtime was closed. Create another one.');
    if (resume === undefined) return;
    const isHeld = [...opening.values()].includes(resume) || [...sessions].some((session) => session.nativeId === resume);
    if (!isHeld) return;
    const message = `Session ${resume} is open in this runtime already. Use that one, or dispose it first.`;
    throw new NativeCompactionError('session_held', message);
  };

  return {
    async open(resume, connect) {
      check(resume);
      const attempt = connect(closing.signal);
      opening.set(attempt, resume);
      try {
        const session = await attempt;
        if (closing.signal.aborted) {
          await session.dispose();
          check(undefined);
        }
        sessions.add(session);
        session.on('closed', () => sessions.delete(session));
        return session;
      } finally {
        opening.delete(attempt);
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled(opening.keys());
      await Promise.all([...sessions].map((session) => session.dispose()));
    },
  };
}
