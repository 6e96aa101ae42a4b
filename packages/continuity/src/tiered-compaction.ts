import { z } from 'zod';
import { checkLimits, count, ratio } from './limits.ts';
import { canonicalJson, isBoundary, type TranscriptMessage, visibleText } from './messages.ts';
import { beginningThatFits } from './quote.ts';

/** How full the context may be before each layer acts, as a part of the window, on a base of the host's own. */
function layerThresholds(base: number): { duplicates: number; results: number; tiered: number; reactive: number } {
  return { duplicates: 0.625 * base, results: 0.75 * base, tiered: 0.9375 * base, reactive: 0.95 };
}

export interface TieredOptions {
  /** How full the window is, from 0 to 1. */
  readonly pressure: number;
  /** The base of the thresholds (default 0.8). */
  readonly base?: number | undefined;
  /** Turns that stay as they are (default 4). */
  readonly keepTurns?: number | undefined;
}

const turns = count.positive();
/** A window may be fuller than full: figures of a provider that refused say so. */
const tieredShape = { pressure: z.number().nonnegative(), base: ratio.optional(), keepTurns: turns.optional() };

/** Stands for a result that a later one repeats. */
const DUPLICATE = '[the same result stands further below]';
/** What stays of an old result, in characters. */
const RESULT_CHARACTERS = 400;

/** Applies each layer whose threshold is passed, the gentlest first. A second chance is `pressure: 1, keepTurns: 2`, then 1. */
export function compactTranscript(messages: readonly TranscriptMessage[], options: TieredOptions): readonly TranscriptMessage[] {
  checkLimits(tieredShape, options, 'compactTranscript()');
  const { pressure, base = 0.8, keepTurns = 4 } = options;
  const thresholds = layerThresholds(base);
  let kept = messages;
  if (pressure >= thresholds.duplicates) kept = withoutDuplicates(kept);
  if (pressure >= thresholds.results) kept = withShortResults(kept, keepTurns);
  if (pressure >= thresholds.tiered) kept = compactTiered(kept, keepTurns);
  if (pressure >= thresholds.reactive) kept = compactReactive(kept);
  return kept;
}

/**
 * Keeps the leading system messages, the first user message and the last `2 · keepTurns` messages. Between them stand a marker
 * and, unless the tail begins with one, the newest plain user message of what is dropped.
 */
export function compactTiered(messages: readonly TranscriptMessage[], keepTurns: number): readonly TranscriptMessage[] {
  checkLimits({ keepTurns: turns }, { keepTurns }, 'compactTiered()');
  return cut(messages, 2 * keepTurns, {});
}

/** The same with a tail of four, for a context that is already too large. */
export function compactReactive(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return cut(messages, 4, { _reactive: true });
}

function cut(messages: readonly TranscriptMessage[], tailSize: number, extra: object): readonly TranscriptMessage[] {
  const systems = messages.findIndex(({ role }) => role !== 'system');
  const leading = systems < 0 ? messages.length : systems;
  const first = messages.findIndex(({ role }, index) => index >= leading && role === 'user');
  const headEnd = first < 0 ? leading : first + 1;
  const tailStart = messages.length - tailSize;
  if (tailStart <= headEnd) return messages;
  const anchor = first < 0 ? [] : messages.slice(first, first + 1);
  const dropped = [...messages.slice(leading, Math.max(leading, headEnd - 1)), ...messages.slice(headEnd, tailStart)];
  const tail = messages.slice(tailStart);
  const pivot = tail[0] && isPlainUser(tail[0]) ? undefined : dropped.findLast(isPlainUser);
  const removed = pivot ? dropped.filter((message) => message !== pivot) : dropped;
  const marker: TranscriptMessage = {
    role: 'system',
    content: `[${removed.length} messages were removed here]`,
    _compact_boundary: true,
    _messages_removed: removed.length,
    _turns_removed: removed.filter(isPlainUser).length,
    ...extra,
  };
  return [...messages.slice(0, leading), ...anchor, marker, ...(pivot ? [pivot] : []), ...tail];
}

/** A user's own words: no frame of tool results, no stub of a cache, no marker. */
function isPlainUser(message: TranscriptMessage): boolean {
  if (message.role !== 'user' || isBoundary(message) || message._cache_stub === true) return false;
  const { content } = message;
  const isFrame = Array.isArray(content) && content.some((block) => (block as { type?: unknown } | null)?.type === 'tool_result');
  return !isFrame && visibleText(message) !== '';
}

function withoutDuplicates(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const seen = new Set<string>();
  return messages
    .toReversed()
    .map((message) => {
      if (message.role !== 'tool') return message;
      const key = canonicalJson([message.name ?? null, message.content ?? null]);
      if (seen.has(key)) return { ...message, content: DUPLICATE };
      seen.add(key);
      return message;
    })
    .reverse();
}

function withShortResults(messages: readonly TranscriptMessage[], keepTurns: number): readonly TranscriptMessage[] {
  return messages.map((message, index) => {
    const { content } = message;
    const isOld = index < messages.length - 2 * keepTurns;
    if (!isOld || message.role !== 'tool' || typeof content !== 'string' || content.length <= RESULT_CHARACTERS) return message;
    const start = beginningThatFits(content, (piece) => piece.length <= RESULT_CHARACTERS);
    return { ...message, content: `${start}… [${content.length - start.length} characters were cut]` };
  });
}
