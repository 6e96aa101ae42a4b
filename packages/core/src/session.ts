import type { PromptChange, RuntimeId } from './capability.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { CompactOptions } from './compact-options.ts';
import type { CompactionResult } from './compact-result.ts';
import type { InputOutcome, SessionRecord } from './record.ts';
import type { AgentStatus } from './status.ts';

/** A place in one log. Every `SessionRecord` is one. */
export interface Cursor {
  readonly log: string;
  readonly seq: number;
}

/** What a host sends: text for one native turn. */
export type Input = string | { readonly text: string };

/** One input on its way. Neither promise ever rejects. */
export interface InputHandle {
  readonly id: string;
  /** Settled by the native receipt; `unconfirmed` when it was written and no receipt came before the end. */
  readonly delivered: Promise<'delivered' | 'undelivered' | 'unconfirmed'>;
  /** Settled by the end of the native turn that took it. `await ended` and the gate share one idle edge (G1). */
  readonly ended: Promise<InputOutcome>;
  /** Takes the input back while it is held here; true if it will never be delivered. */
  withdraw(): boolean;
}

/** A native message, raw and unredacted. `body.events` are the native events it carried; a line protocol has one. */
export interface Frame {
  readonly number: number;
  readonly direction: 'in' | 'out';
  readonly native: unknown;
  readonly body: { readonly events: readonly unknown[] };
}

export interface SessionEvents {
  record: (record: SessionRecord) => void;
  status: (status: AgentStatus) => void;
  closed: () => void;
}

/** One native conversation. */
export interface Session extends AsyncDisposable {
  readonly id: string;
  readonly runtime: RuntimeId;
  readonly nativeId: string | undefined;
  readonly vendorVersion: string | undefined;
  /** The session's own value: `unknown` where passthrough arguments touch the prompt or the version is not tested. */
  readonly promptChange: PromptChange;
  /** Queued here and delivered one native turn at a time, in order (S2, S3). Throws `reserved_command` for a command text. */
  send(input: Input): InputHandle;
  /** Asks the native side to compact. Resolves to exactly one result; rejects only for misuse (R1). */
  compact(options?: CompactOptions): Promise<CompactionResult>;
  /**
   * Cancels the running turn or our compaction natively. Resolves when the native side has answered the cancel, which may be
   * before the end: await `handle.ended` or the result for that. Never rejects; at once if there is nothing to abort (C1).
   */
  abort(): Promise<void>;
  /** A display value (T1). */
  status(): AgentStatus;
  /** The whole resumable view with its cursor (T3); persist it whole. */
  checkpoint(): Checkpoint;
  /**
   * Records from the oldest retained one, or after `after`; waits for more, and ends after the closing one. A reader that falls behind gets a
   * `gap` record. `required` pauses the vendor's pipe instead, but never while a compaction, gate read or cancel is open (T9).
   */
  records(after?: Cursor, options?: { readonly required?: boolean }): AsyncIterable<SessionRecord>;
  on<E extends keyof SessionEvents>(event: E, listener: SessionEvents[E]): Disposable;
  /** A retained raw frame by its number; frames that results name stay until dispose. */
  frame(number: number): Frame | undefined;
  /** Idempotent. Open controls resolve `unconfirmed/disposed` at once; resolves when the vendor process is gone. */
  dispose(): Promise<void>;
}
