import { anchorFor } from './anchor.ts';
import { buildHandoff, type HandoffBudget } from './handoff.ts';
import { inFlightOf, type Ledger } from './ledger.ts';

/** The largest text that Claude Code's hook puts into the context; a longer one is only a file name there (2.1.316, 2.1.332). */
export const CONTEXT_CHARACTERS = 10_000;
/** What the record of requests gets at least. */
const ACCOUNT_CHARACTERS = 1_500;

/**
 * The record of requests and the anchor in at most so many characters, for a hook that adds to a context which the vendor has
 * rebuilt. What is in flight comes before the rest. Undefined when nothing was ever asked.
 */
export function contextFor(ledger: Ledger, maxCharacters = CONTEXT_CHARACTERS): string | undefined {
  if (ledger.count === 0) return undefined;
  const waiting = Math.max(1, inFlightOf(ledger).length);
  const inFlightTokens = Math.floor((maxCharacters - ACCOUNT_CHARACTERS) / waiting);
  const budget = (totalTokens: number): HandoffBudget => ({
    totalTokens,
    headTokens: Math.floor(totalTokens / 5),
    inFlightTokens,
    estimate: (text) => text.length,
  });
  const bare = buildHandoff(ledger, '', budget(0)).render();
  const full = buildHandoff(ledger, '', budget(Math.max(0, maxCharacters - bare.length - 1))).render();
  for (const text of [full, bare]) if (text.length <= maxCharacters) return text;
  return anchorFor(ledger, budget(0))?.render();
}
