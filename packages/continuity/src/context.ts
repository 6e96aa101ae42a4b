import { boundedAnchor } from './anchor.ts';
import { buildHandoff, type HandoffBudget } from './handoff.ts';
import { inFlightOf, type Ledger } from './ledger.ts';
import { checkLimits, count } from './limits.ts';
import { NOT_YET } from './lines.ts';

/** The largest text that Claude Code's hook puts into the context; a longer one is only a file name there (2.1.316, 2.1.332). */
export const CONTEXT_CHARACTERS = 10_000;
/** What the record of requests gets at least; no text of ours fits into less. */
const ACCOUNT_CHARACTERS = 1_500;

/** What a request in flight takes at least, with its state and its anchor. */
const LINE_CHARACTERS = 80;

export const contextLimit = count.min(ACCOUNT_CHARACTERS);

/** A text for a hook, and what it could not say. */
export interface HookContext {
  readonly text: string;
  readonly ids: readonly string[];
  /** In flight, and not named. */
  readonly unnamed: readonly string[];
  /** In flight, and named with a part of their text. */
  readonly cut: readonly string[];
}

/**
 * The record of requests and the anchor in at most so many characters, for a hook that adds to a context which the vendor has
 * rebuilt. What is in flight comes before the rest, and the newest of it first. Undefined when nothing was ever asked.
 */
export function contextFor(ledger: Ledger, maxCharacters = CONTEXT_CHARACTERS): string | undefined {
  return hookContextOf(ledger, maxCharacters)?.text;
}

/** The same, with what it names and what it leaves out. */
export function hookContextOf(ledger: Ledger, maxCharacters = CONTEXT_CHARACTERS): HookContext | undefined {
  checkLimits({ maxCharacters: contextLimit }, { maxCharacters }, 'contextFor()');
  if (ledger.count === 0) return undefined;
  const waiting = inFlightOf(ledger).length;
  if (waiting * LINE_CHARACTERS > maxCharacters) return anchorOnly(ledger, maxCharacters);
  const inFlightTokens = Math.max(0, Math.floor((maxCharacters - ACCOUNT_CHARACTERS) / Math.max(1, waiting)));
  const handoff = (totalTokens: number) => {
    const headTokens = Math.floor(totalTokens / 5);
    const budget: HandoffBudget = { totalTokens, headTokens, inFlightTokens, estimate: (text) => text.length };
    return buildHandoff(ledger, '', budget);
  };
  const bare = handoff(0);
  const bareText = bare.render();
  // What is shown may be queued, which adds a sentence.
  const full = handoff(Math.max(0, maxCharacters - bareText.length - NOT_YET.length - 2)).render();
  for (const text of [full, bareText]) if (text.length <= maxCharacters) return { text, ...namedBy(bare.anchor) };
  return anchorOnly(ledger, maxCharacters);
}

function anchorOnly(ledger: Ledger, maxCharacters: number): HookContext | undefined {
  const anchor = boundedAnchor(ledger, maxCharacters);
  return anchor ? { text: anchor.render(), ...namedBy(anchor) } : undefined;
}

function namedBy(anchor: ReturnType<typeof boundedAnchor>): Omit<HookContext, 'text'> {
  const { ids = [], unnamed = [], requests = [] } = anchor ?? {};
  return { ids, unnamed, cut: requests.filter(({ omitted }) => omitted !== undefined).map(({ id }) => id) };
}
