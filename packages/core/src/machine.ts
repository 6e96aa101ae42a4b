import type { Evidence, Outcome, RejectReason } from './compact-result.ts';
import type { RecordDraft, VendorProcess } from './record.ts';

/** On whose behalf a frame was written. `id` is unique within the log. */
export interface Ref {
  readonly kind: 'open' | 'compact' | 'cancel' | 'input' | 'read' | 'probe' | 'answer';
  readonly id: string;
}

export type EndReason = 'process_exit' | 'transport_lost' | 'disposed';

/** What a host asked, as an entry. `operationId` is the UUID its write will carry. `withdraw` carries why a control ended before anything was written. */
export type HostAsk =
  | { readonly ask: 'compact'; readonly requestId: string; readonly operationId: string }
  | { readonly ask: 'withdraw'; readonly requestId: string; readonly reason: RejectReason }
  | { readonly ask: 'abort' };

/** One line of the session's ordered log: the only thing a decision may depend on. `n` counts from 1. */
export type Entry<In, Out> = { readonly n: number; readonly atMs: number } & EntryBody<In, Out>;
export type EntryBody<In, Out> =
  | { readonly dir: 'in'; readonly frame: In }
  | { readonly dir: 'out'; readonly frame: Out; readonly ref: Ref }
  | ({ readonly dir: 'host' } & HostAsk)
  | { readonly dir: 'end'; readonly why: EndReason; readonly code?: number | null };

export interface Write<Out> {
  readonly frame: Out;
  readonly ref: Ref;
}

/**
 * What the native side said in the end. Exactly one comes for an operation that was dispatched, and it frees the slot (S1).
 * `completed`, `failed` and `aborted` are bound to the operation's own identity; an idle edge without that proof is `unconfirmed`.
 */
export type Settlement = Outcome;

export interface Step<S, Out> {
  readonly state: S;
  readonly records: readonly RecordDraft[];
  readonly settlement?: Settlement;
  readonly writes?: readonly Write<Out>[];
  /** Ids of writes (`Ref.id`) whose native answer this entry was. */
  readonly answered?: readonly string[];
}

/** The gate as a function of the state (G1 to G4). */
export type Admission<Out> =
  | { readonly go: true }
  | { readonly reject: RejectReason }
  | { readonly ask: readonly Write<Out>[] }
  | { readonly wait: true };

/** What the open operation has shown so far; `started` is true once the native side began it. */
export interface Trail {
  readonly started: boolean;
  readonly evidence: readonly Evidence[];
}

export type PermissionDecision = 'allow' | 'deny' | { readonly deny: string };

/**
 * A backend's pure state machine: total, never throws, no clock, no promise, immutable state.
 * It is stepped with every entry in order, and attribution is decided here and nowhere else.
 */
export interface Machine<In, Out, S, Facts> {
  /** The first state and the writes that open the session. */
  init(facts: Facts): Step<S, Out>;
  step(state: S, entry: Entry<In, Out>): Step<S, Out>;
  /** The native facts of G1 and G4: why no native operation may start now. Gate and inputs use this one edge. */
  busy(state: S): RejectReason | undefined;
  /** The whole gate; facts older than entry `since` do not count. */
  admit(state: S, since: number): Admission<Out>;
  /** The frame that asks for the compaction. `operationId` is a fresh UUID the native side may carry. */
  compact(state: S, request: CompactRequest): Out;
  input(state: S, input: { readonly id: string; readonly text: string }): Out;
  /** The native cancel of what runs now, or undefined until it has a target (C1). */
  cancel(state: S, id: string): Out | undefined;
  answer(state: S, permissionId: string, decision: PermissionDecision): Out | undefined;
  trail(state: S): Trail;
}

export interface CompactRequest {
  readonly requestId: string;
  readonly operationId: string;
  readonly instructions?: string;
}

/** Frames in and out of one vendor process or connection. A wire has no deadline of its own (R3). */
export interface Wire<In, Out> {
  /** The process that does the work, where there is one to name. */
  readonly process?: VendorProcess;
  /** `bytes` is what the frame cost on the wire; `end` is called once, after the last frame. */
  start(on: {
    frame(frame: In, bytes: number): void;
    /** The same for frames that stand together and were read without being parsed, each with what it cost: once for all of them. */
    run?(frames: readonly In[], bytes: readonly number[]): void;
    /** No frame came behind one that was handed over while `hasUnread` was true. */
    read?(): void;
    end(why: EndReason, exit?: ExitFacts): void;
  }): void;
  /** True while more of what has arrived is still to be handed over: a frame follows, or `read`. The gate then waits for it. */
  hasUnread?(): boolean;
  /** Never throws: a write to a process that is gone is answered by `end`. */
  write(frame: Out): void;
  pause(): void;
  resume(): void;
  /** Ends the process or connection, gracefully first; resolves when nothing of it is left. */
  close(graceMs: number): Promise<void>;
}

export interface ExitFacts {
  readonly code?: number | null;
  readonly signal?: string | null;
  /** The end of the vendor's stderr, redacted and bounded. */
  readonly stderrTail?: string;
}
