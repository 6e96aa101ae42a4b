import type { AnchorRoute, CompactionOrigin } from '@native-compaction/core';
import { type Anchor, type AnchorOptions, anchorFor } from './anchor.ts';
import type { Ledger } from './ledger.ts';
import { checkLimits, count, ratio as part } from './limits.ts';

/** A compaction as the native side reported it. */
export interface ObservedCompaction {
  readonly origin: CompactionOrigin;
  readonly outcome: 'completed' | 'failed' | 'aborted' | 'unknown';
}

/** What a host can do so that the request in flight is named after a compaction. */
export type ContinuationAction =
  /** Hand the anchor to the vendor's own hook: it is in the first provider request. */
  | { readonly kind: 'compaction-hook'; readonly anchor: Anchor; readonly guaranteedFirstStep: true }
  /** Put the anchor before the next input, if the request is still open then. */
  | { readonly kind: 'prefix-next-input'; readonly anchor: Anchor; readonly guaranteedFirstStep: false }
  | { readonly kind: 'none'; readonly reason: 'not_completed' | 'nothing_in_flight' | 'no_route' };

/** Decides from facts alone what an observed compaction asks for. */
export function onCompaction(
  ledger: Ledger,
  observed: ObservedCompaction,
  { anchorRoute }: { readonly anchorRoute: AnchorRoute },
  options?: AnchorOptions,
): ContinuationAction {
  if (observed.outcome !== 'completed') return { kind: 'none', reason: 'not_completed' };
  const anchor = anchorFor(ledger, options);
  if (!anchor) return { kind: 'none', reason: 'nothing_in_flight' };
  if (anchorRoute === 'compaction-hook') return { kind: 'compaction-hook', anchor, guaranteedFirstStep: true };
  if (anchorRoute === 'next-input') return { kind: 'prefix-next-input', anchor, guaranteedFirstStep: false };
  return { kind: 'none', reason: 'no_route' };
}

/** When the vendor compacts by itself. */
export interface WindowLimits {
  readonly windowTokens: number;
  /** The part of the window at which it compacts (default 0.85). */
  readonly ratio?: number | undefined;
  /** What it keeps free for the answer (default 0). */
  readonly reservedTokens?: number | undefined;
}

const windowShape = {
  usedTokens: count,
  inputTokens: count,
  windowTokens: count.positive(),
  ratio: part.optional(),
  reservedTokens: count.optional(),
};

/** True when the next input would bring on an automatic compaction in its own turn: compact while idle, before it. */
export function compactFirst(usedTokens: number, limits: WindowLimits, inputTokens: number): boolean {
  checkLimits(windowShape, { ...limits, usedTokens, inputTokens }, 'compactFirst()');
  const { windowTokens, ratio = 0.85, reservedTokens = 0 } = limits;
  const next = usedTokens + inputTokens;
  return (
    next >= ratio * windowTokens || (reservedTokens > 0 && reservedTokens < windowTokens && next + reservedTokens >= windowTokens)
  );
}
