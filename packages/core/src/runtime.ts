import type { Session } from './session.ts';

/** The name of a backend; open, so that third parties can add theirs. */
export type RuntimeId = 'claude' | 'codex' | 'pi-rpc' | 'pi-sdk' | (string & {});

/** When a changed prompt part reaches the next provider request of a resumed session. */
export type WhenInEffect = 'at-resume' | 'at-next-compaction' | 'unknown';

export interface PromptChange {
  readonly system: WhenInEffect;
  readonly append: WhenInEffect;
}

/** Facts a host can plan with: data, not code, true for `testedVersions`. */
export interface ManualCompaction {
  readonly instructions: 'per-request' | 'configuration' | 'none';
  readonly promptChange: PromptChange;
  readonly cancellation: 'native' | 'none';
  readonly testedVersions: readonly string[];
}

/** An adapter for one vendor control surface. Each session it opens has a vendor process of its own. */
export interface Runtime<Options> {
  readonly id: RuntimeId;
  /** Absent means not declared: `compact()` is then `rejected/unsupported` and writes nothing. */
  readonly manualCompaction?: ManualCompaction;
  /** Opens a new session, or resumes one by its native id. Rejects with a coded error; no process is left then. */
  open(options: Options): Promise<Session>;
  /** Disposes every session this runtime opened. */
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
