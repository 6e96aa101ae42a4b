import type { ControlState } from './control-state.ts';

/** A reference to one row of the vendor's own file, counted from 1, and what it shows; without `row` it is no fact of the file. */
export interface DurableEvidence {
  readonly kind: string;
  readonly row?: number;
  readonly ids: Readonly<Record<string, string>>;
}

/**
 * Why the files do not say: the vendor process may still live and finish it · there is no such file, or it does not reach
 * back to the request · a part of it cannot be read · it holds a compaction that may be this one or another ·
 * nothing of it is there, but how that version writes was not tested · the runtime cannot look.
 */
export const unknownReasons = [
  'still_running',
  'no_source',
  'unreadable',
  'ambiguous',
  'untested_version',
  'unsupported',
] as const;
export type UnknownReason = (typeof unknownReasons)[number];

/** What durable evidence says of one operation: whether it replaced the history of the session as it is on disk. */
export type Finding =
  | { readonly context: 'compacted'; readonly evidence: readonly [DurableEvidence, ...DurableEvidence[]] }
  | { readonly context: 'unchanged'; readonly evidence: readonly [DurableEvidence, ...DurableEvidence[]] }
  | { readonly context: 'unknown'; readonly reason: UnknownReason; readonly evidence: readonly DurableEvidence[] };

/** A backend's own look: reads files, changes none, asks no model, and is as strict as its machine. */
export type Reconciler = (operation: { readonly nativeId: string; readonly control: ControlState }) => Promise<Finding>;

/** How far the clocks of two processes on one machine are trusted to agree, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** The finding that the files do not say. */
export function unknownFinding(reason: UnknownReason, evidence: readonly DurableEvidence[] = []): Finding {
  return { context: 'unknown', reason, evidence };
}

/** The evidence that the process of a control is gone. */
export function processGone({ process }: ControlState): DurableEvidence {
  return { kind: 'process_gone', ids: { pid: String(process?.pid) } };
}
