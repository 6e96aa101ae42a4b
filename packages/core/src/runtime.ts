import type { ManualCompaction, RuntimeId } from './capability.ts';
import type { Reconciler } from './finding.ts';
import type { Session } from './session.ts';

/** An adapter for one vendor control surface. Each session it opens has a vendor process of its own. */
export interface Runtime<Options> {
  readonly id: RuntimeId;
  /** Absent means not declared: `compact()` is then `rejected/unsupported` and writes nothing. */
  readonly manualCompaction?: ManualCompaction;
  /** Opens a new session, or resumes one by its native id. Rejects with a coded error; no process is left then. An open session
   * keeps the host's process alive: use `await using`, or dispose it. */
  open(options?: Options): Promise<Session>;
  /** Called by `reconcile()`; absent where the vendor keeps nothing that can be read. */
  readonly reconcile?: Reconciler;
  /** Disposes every session this runtime opened; it opens no more. */
  close(): Promise<void>;
}

/** How much of a session's log stays in memory. What evidence names stays beyond it. */
export interface Retain {
  /** Raw frames, newest first (default 1024). */
  readonly frames?: number | undefined;
  /** Records (default 4096). */
  readonly records?: number | undefined;
  /** Bytes of raw frames and of records, each (default 32 MB); the newest one always stays. */
  readonly bytes?: number | undefined;
}
