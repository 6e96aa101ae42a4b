import type { EvidenceRef, Relation, RequestKind } from './ledger.ts';

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
