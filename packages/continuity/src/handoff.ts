import { type Anchor, anchorFor } from './anchor.ts';
import { type KeptRequest, keepWithin } from './kept.ts';
import { entriesOf, inFlightOf, type Ledger, type RequestEntry, type RequestState } from './ledger.ts';
import { checkLimits, count, estimate, soundEstimate } from './limits.ts';
import {
  type AccountLine,
  NOT_AGAIN,
  NOT_YET,
  RECORD_HEADER,
  renderAccount,
  renderOmitted,
  renderQuoted,
  SUMMARY_HEADER,
  toAccountLine,
} from './lines.ts';
import { type Estimate, toJsonText } from './quote.ts';

/** Limits in tokens as `estimate` counts them. */
export interface HandoffBudget {
  /** For the lines of all requests that are not in flight. */
  readonly totalTokens: number;
  /** The part of it that goes to the oldest ones. */
  readonly headTokens: number;
  /** The cap of each request in flight. */
  readonly inFlightTokens: number;
  readonly estimate: Estimate;
}

/** What a host puts at the head of a context that it rebuilds. */
export interface Handoff {
  readonly kept: readonly KeptRequest[];
  readonly summary: string;
  /** One line for each request that is shown. */
  readonly account: readonly AccountLine[];
  readonly anchor: Anchor | null;
  /** The same ledger, summary and budget give the same bytes. */
  render(): string;
}

const budgetShape = { totalTokens: count, headTokens: count, inFlightTokens: count, estimate };

/** How much room the ids of requests that are open and not shown get, in characters. */
const OPEN_ID_CHARACTERS = 1_000;

/**
 * Builds the text that stands for a replaced history: each request in a line of its own with its state, the summary as quoted
 * notes, and the request in flight last.
 */
export function buildHandoff(ledger: Ledger, summary: string, given: HandoffBudget): Handoff {
  checkLimits(budgetShape, given, 'buildHandoff()');
  const budget = { ...given, estimate: soundEstimate(given.estimate, 'buildHandoff()') };
  const entries = entriesOf(ledger);
  const kept = keepWithin(entries, budget);
  const running = inFlightOf(ledger);
  const anchor = anchorFor(ledger, budget);
  const render = () => {
    const lines = kept.map(({ entry, excerpt }) => renderAccount(toAccountLine(entry), excerpt));
    const isQueued = kept.some(({ entry }) => toAccountLine(entry).queued);
    const gap = kept.findIndex(({ entry }, index) => index > 0 && entry.seq !== (kept[index - 1]?.entry.seq ?? 0) + 1);
    const left = omittedLine(entries, new Set([...kept.map(({ entry }) => entry.seq), ...running.map(({ seq }) => seq)]));
    if (left !== undefined) lines.splice(Math.max(gap, 0), 0, left);
    return [
      RECORD_HEADER,
      NOT_AGAIN,
      ...(isQueued ? [NOT_YET] : []),
      ...lines,
      ...running.map((entry) => renderAccount(toAccountLine(entry))),
      ...(summary.trim() === '' ? [] : [SUMMARY_HEADER, renderQuoted(summary.trim())]),
      ...(anchor ? [anchor.render()] : []),
    ].join('\n');
  };
  return {
    kept: kept.map(({ entry, excerpt }) => ({ id: entry.id, ...excerpt })),
    summary,
    account: [...kept.map(({ entry }) => entry), ...running].map(toAccountLine),
    anchor,
    render,
  };
}

/** Says in one line what is not shown, by state; what is open is named. */
function omittedLine(entries: readonly RequestEntry[], shown: ReadonlySet<number>): string | undefined {
  if (shown.size >= entries.length) return undefined;
  const counts: Record<RequestState, number> = { open: 0, done: 0, abandoned: 0, superseded: 0 };
  const openIds: string[] = [];
  let room = OPEN_ID_CHARACTERS;
  for (const { seq, id, state } of entries) {
    if (shown.has(seq)) continue;
    counts[state] += 1;
    const size = toJsonText(id).length + 1;
    if (state !== 'open' || size > room) continue;
    room -= size;
    openIds.push(id);
  }
  return renderOmitted({ ...counts, ...(openIds.length > 0 ? { openIds } : {}) });
}
