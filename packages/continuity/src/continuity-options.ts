import {
  createRedactor,
  type ManualCompaction,
  NativeCompactionError,
  parseOptions,
  type Session,
  thrownText,
} from '@native-compaction/core';
import { z } from 'zod';
import { type AnchorOptions, anchorShape } from './anchor.ts';
import { contextLimit } from './context.ts';
import { type InstructionOptions, instructionShape } from './instructions.ts';
import type { Ledger } from './ledger.ts';

/** What was done for continuity, and what could not be. */
export type ContinuityEvent =
  /** A compaction was dispatched with the account as its instructions. */
  | { readonly did: 'instructed'; readonly requestId: string; readonly characters: number }
  /** The record of requests went to the vendor's hook; `ids` are in flight and anchored. */
  | { readonly did: 'placed'; readonly ids: readonly string[]; readonly characters: number }
  | { readonly did: 'prefixed'; readonly inputId: string; readonly ids: readonly string[] }
  /** There was no room for all of it: `shortened` are named with a part of their text, `unnamed` are only counted. */
  | { readonly did: 'cut'; readonly shortened: readonly string[]; readonly unnamed: readonly string[] }
  /** The ledger came from an earlier log, where these had no end: they are open, and run no more. */
  | { readonly did: 'interrupted'; readonly ids: readonly string[] }
  | { readonly did: 'not_placed'; readonly reason: 'nothing_in_flight' | 'no_route' | 'hook_not_asked' };

export interface ContinuityOptions {
  /** The runtime's own declaration: `runtime.manualCompaction`. */
  readonly capability: Pick<ManualCompaction, 'instructions' | 'anchorRoute'> | undefined;
  /** A restored ledger to go on with. */
  readonly ledger?: Ledger | undefined;
  /** An anchor before the next input: `inFlightTokens` is the cap of all of it. */
  readonly anchor?: AnchorOptions | undefined;
  /** The most that `context()` gives, in UTF-16 units (default 10,000, what Claude Code takes; at least 1,500). */
  readonly contextCharacters?: number | undefined;
  readonly instructions?: InstructionOptions | undefined;
  /** A callback that throws is warned of and stops nothing. */
  readonly onEvent?: ((event: ContinuityEvent) => void) | undefined;
}

const isCallable = (value: unknown) => typeof value === 'function';
const optionsSchema = z.strictObject({
  capability: z
    .looseObject({
      instructions: z.enum(['per-request', 'configuration', 'none']),
      anchorRoute: z.enum(['compaction-hook', 'next-input', 'none']),
    })
    .optional(),
  ledger: z.custom<Ledger>(isLedger, 'must be a ledger: take a snapshot back with restoreLedger()').optional(),
  anchor: z.strictObject(anchorShape).optional(),
  contextCharacters: contextLimit.optional(),
  instructions: z.strictObject(instructionShape).optional(),
  onEvent: z.custom<(event: ContinuityEvent) => unknown>(isCallable, 'must be a function').optional(),
});

export function parseContinuityOptions(options: unknown): ContinuityOptions {
  const parsed = parseOptions(optionsSchema, options, 'withContinuity()') as ContinuityOptions;
  if ('capability' in (options as object)) return parsed;
  const message =
    'withContinuity(): give capability, the runtime.manualCompaction of the session; undefined if it declares none.';
  throw new NativeCompactionError('invalid_options', message);
}

/** A session that can still record something, and that nobody tracks yet. Throws `invalid_options`. */
export function checkSession(session: Session, isTracked: boolean): void {
  const calls = ['on', 'send', 'compact', 'status', 'checkpoint'] as const;
  const why =
    typeof session !== 'object' || session === null || calls.some((name) => !isCallable(session[name]))
      ? 'give the session that open() resolved to'
      : isTracked
        ? 'this session is tracked already; use what the first call gave'
        : session.status().state === 'closed'
          ? 'this session is closed and records nothing any more; open it again and hand its ledger in'
          : undefined;
  if (why !== undefined) throw new NativeCompactionError('invalid_options', `withContinuity(): ${why}.`);
}

function isLedger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { count, entries, seqs } = value as Partial<Record<keyof Ledger, unknown>>;
  return Number.isInteger(count) && [entries, seqs].every((trie) => typeof trie === 'object' && !Array.isArray(trie));
}

/** Calls the host's callback; its fault is told as a session tells one of a listener. */
export function toTeller(onEvent: ((event: ContinuityEvent) => unknown) | undefined): (event: ContinuityEvent) => void {
  const warn = (error: unknown) => {
    const message = `The onEvent of withContinuity() threw: ${createRedactor().message(thrownText(error))}`;
    process.emitWarning(message, { code: 'NATIVE_COMPACTION_LISTENER' });
  };
  return (event) => {
    try {
      const returned = onEvent?.(event);
      if (returned instanceof Promise) returned.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
