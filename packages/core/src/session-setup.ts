import type { ManualCompaction, PromptChange, RuntimeId } from './capability.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Clock } from './clock.ts';
import type { Machine, Wire } from './machine.ts';
import type { PermissionCallback } from './permissions.ts';
import type { RecordDraft } from './record.ts';
import type { Redactor } from './redact.ts';
import type { Retain } from './runtime.ts';

/** Everything a backend brings to make a session of a connected wire. */
export interface SessionSetup<In, Out, S, F> {
  readonly runtime: RuntimeId;
  readonly machine: Machine<In, Out, S, F>;
  readonly facts: F;
  readonly wire: Wire<In, Out>;
  readonly redactor: Redactor;
  readonly manualCompaction?: ManualCompaction | undefined;
  /** The session's own prompt facts, for the version that answered and what the machine knows. */
  readonly promptChange: (vendorVersion: string | undefined, state: S) => PromptChange;
  /** How a frame is shown in a record; takes out what cannot be redacted frame by frame, such as deltas. */
  readonly present?: (frame: In) => unknown;
  /** The native message of a frame, where a wire hands out others. */
  readonly toNative?: (frame: In) => unknown;
  readonly reservedCommand?: (text: string) => string | undefined;
  readonly permissions?: PermissionCallback | undefined;
  /** True when an existing native session is being resumed. */
  readonly isResume?: boolean;
  /** Gives the opening up; the session is then disposed. */
  readonly signal?: AbortSignal;
  readonly checkpoint?: Checkpoint | undefined;
  readonly readTimeoutMs?: number | undefined;
  readonly retain?: Retain | undefined;
  readonly graceMs?: number | undefined;
  readonly clock?: Clock;
}

/** How long a gate read or the opening may stay unanswered unless the runtime says otherwise. */
export const READ_TIMEOUT_MS = 30_000;
/** How long a process may take to end on each gentler way before the next one is tried. */
export const GRACE_MS = 1_000;
const defaults = { frames: 1024, records: 4096, bytes: 33_554_432 } as const;

export function toRetain(retain: Retain | undefined): Required<{ [K in keyof Retain]: number }> {
  return {
    frames: retain?.frames ?? defaults.frames,
    records: retain?.records ?? defaults.records,
    bytes: retain?.bytes ?? defaults.bytes,
  };
}

/** The first record: the checkpoint this log follows, with the warning that what came between is not in it, and the process. */
export function toLogOpened({
  checkpoint,
  wire,
}: {
  readonly checkpoint?: Checkpoint | undefined;
  readonly wire: Pick<Wire<never, never>, 'process'>;
}): RecordDraft {
  return {
    type: 'log_opened',
    ...(checkpoint ? { follows: checkpoint.cursor, between: 'not_in_log' } : {}),
    ...(wire.process ? { process: wire.process } : {}),
  };
}
