import { parseOptions } from '@native-compaction/core';
import { z } from 'zod';
import { type EvidenceRef, type Relation, type RequestKind, relations, requestKinds } from './ledger.ts';

/** What happened to a request, or to the context. Facts come from native events and from the host, never from text. */
export type LedgerFact =
  | {
      readonly t: 'accepted';
      readonly id: string;
      readonly text: string;
      /** `prompt` when absent. */
      readonly kind?: RequestKind;
      readonly evidence?: EvidenceRef;
    }
  | { readonly t: 'started'; readonly id: string; readonly evidence?: EvidenceRef }
  /** It was begun and the native side did not take it, which is certain: it comes again by itself. */
  | { readonly t: 'held'; readonly id: string; readonly evidence?: EvidenceRef }
  /** One that was `unconfirmed` may still be told to have ended otherwise. */
  | {
      readonly t: 'settled';
      readonly id: string;
      readonly outcome: 'completed' | 'failed' | 'aborted' | 'unconfirmed';
      readonly evidence?: EvidenceRef;
    }
  /** It was taken back or never delivered: nothing of it ran. */
  | { readonly t: 'dropped'; readonly id: string; readonly evidence?: EvidenceRef }
  /** What the host knows of it; `target` is the request that it refines or corrects, the current objective when absent. */
  | {
      readonly t: 'related';
      readonly id: string;
      readonly relation: Relation;
      readonly target?: string;
      readonly evidence?: EvidenceRef;
    }
  /** The native context was replaced. */
  | { readonly t: 'compacted'; readonly evidence?: EvidenceRef };

export const evidenceSchema = z.strictObject({ source: z.string(), position: z.number().int().nonnegative(), kind: z.string() });
export const outcomes = ['completed', 'failed', 'aborted', 'unconfirmed'] as const;

const id = z.string();
const evidence = evidenceSchema.optional();
const factSchema = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('accepted'), id, text: z.string(), kind: z.enum(requestKinds).optional(), evidence }),
  z.strictObject({ t: z.enum(['started', 'held', 'dropped']), id, evidence }),
  z.strictObject({ t: z.literal('settled'), id, outcome: z.enum(outcomes), evidence }),
  z.strictObject({ t: z.literal('related'), id, relation: z.enum(relations), target: id.optional(), evidence }),
  z.strictObject({ t: z.literal('compacted'), evidence }),
]) as unknown as z.ZodType<LedgerFact>;

/** Checks a fact, so that no ledger holds what its own snapshot would not take back. Throws `invalid_options`. */
export function parseFact(fact: unknown): LedgerFact {
  return parseOptions(factSchema, fact, 'applyFact()');
}
