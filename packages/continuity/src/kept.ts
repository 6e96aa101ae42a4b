import type { RequestEntry } from './ledger.ts';
import { renderAccount, toAccountLine } from './lines.ts';
import { beginningThatFits, type Estimate, type Excerpt, endThatFits, excerptOf } from './quote.ts';

/** A request that is shown, whole or cut, in one line with its state. */
export interface KeptRequest extends Excerpt {
  readonly id: string;
}

interface Kept {
  readonly entry: RequestEntry;
  readonly excerpt: Excerpt;
}

const lineOf = ({ entry, excerpt }: Kept) => renderAccount(toAccountLine(entry), excerpt);

/**
 * What is shown of the requests that are not in flight: all of them if they fit, else the oldest within `headTokens` and the
 * newest within the rest. The one at the edge of the tail keeps its end, the one at the edge of the head its beginning.
 */
export function keepWithin(
  entries: readonly RequestEntry[],
  { totalTokens, headTokens, estimate }: { totalTokens: number; headTokens: number; estimate: Estimate },
): Kept[] {
  const past = entries.filter(({ inFlight }) => !inFlight);
  const cost = (kept: Kept) => estimate(`${lineOf(kept)}\n`);
  const whole = (entry: RequestEntry): Kept => ({ entry, excerpt: { text: entry.text } });
  /** Walks whole requests until one does not fit: how many did, and what is left. */
  const walk = (requests: readonly RequestEntry[], budget: number) => {
    let left = budget;
    let count = 0;
    for (const entry of requests) {
      const needed = cost(whole(entry));
      if (needed > left) break;
      left -= needed;
      count += 1;
    }
    return { left, count };
  };
  if (walk(past, totalTokens).count === past.length) return past.map(whole);

  const head = Math.max(0, Math.min(headTokens, totalTokens));
  const tail = walk(past.toReversed(), totalTokens - head);
  const edge = past.length - tail.count - 1;
  const front = walk(past.slice(0, edge + 1), head);
  const shown = past.slice(0, front.count).map(whole);
  const last = past[edge];
  if (!last) return past.map(whole);
  const end = endThatFits(last.text, (piece) => cost({ entry: last, excerpt: excerptOf(last.text, '', piece) }) <= tail.left);
  const next = past[front.count];
  const start = next
    ? beginningThatFits(next.text, (piece) => cost({ entry: next, excerpt: excerptOf(next.text, piece, '') }) <= front.left)
    : '';
  if (next && next !== last && start !== '') shown.push({ entry: next, excerpt: excerptOf(next.text, start, '') });
  if (front.count <= edge) {
    const both = next === last ? joined(last.text, start, end) : excerptOf(last.text, '', end);
    if (both.text !== '' || both.end !== undefined) shown.push({ entry: last, excerpt: both });
  }
  return [...shown, ...past.slice(edge + 1).map(whole)];
}

/** The beginning and the end of one request; where they would meet, the beginning ends where the end begins. */
function joined(text: string, start: string, end: string): Excerpt {
  const rest = text.length - end.length;
  return start.length < rest ? excerptOf(text, start, end) : { text };
}
