import type { Ledger } from './ledger.ts';
import { headers, isOmittedLine, type OurLine, readLine, SUMMARY_HEADER } from './lines.ts';
import { lineEnd, type TextGroup, type TextIndex } from './text-index.ts';

/** What one message of a context shows: texts of requests as they are, and lines of ours about requests. */
export interface MessageReading {
  readonly raw: readonly TextGroup[];
  readonly lines: readonly OurLine[];
  /** True when the message is one request, whole, and nothing else. */
  readonly isAlone: boolean;
}

interface Line {
  readonly start: number;
  readonly end: number;
  /** What it says of a request, true or not. */
  readonly ours: OurLine | undefined;
  /** True where nothing but a text of ours would have it: a header, a line that the ledger bears out, a quoted summary. */
  readonly isOurs: boolean;
}

/**
 * Reads a message from top to bottom. A line of ours counts where the ledger bears it out; one that stands inside the text of
 * a request is that text, also where that text begins or ends with our own words.
 */
export function readMessage(message: string, ledger: Ledger, index: TextIndex): MessageReading {
  const raw: TextGroup[] = [];
  const lines: OurLine[] = [];
  const all = linesOf(message, ledger);
  let from = 0; // where the text begins that is not told yet
  let seenUntil = 0; // our own lines up to here begin no other text
  let isAlone = false;
  for (let at = 0; at < all.length; at += 1) {
    const { start, end, ours, isOurs } = all[at] as Line;
    const isNew = !isOurs || start >= seenUntil;
    const found = isNew ? index.beginningAt(message, start) : undefined;
    if (found && hasForeign(all, at, start, found.end)) {
      raw.push(found.group);
      isAlone = start === 0 && found.group[0]?.text.trim() === message.trim();
      while ((all[at + 1]?.start ?? message.length) < found.end) at += 1;
      from = all[at + 1]?.start ?? message.length;
      continue;
    }
    if (found) seenUntil = found.end;
    const cut = index.endingAt(message, from, start + message.slice(start, end).trimEnd().length);
    if (cut && hasForeign(all, at, cut.start, end)) {
      raw.push(cut.group);
      from = end + 1;
    } else if (ours) lines.push(ours);
  }
  return { raw, lines, isAlone: isAlone && raw.length === 1 };
}

function linesOf(message: string, ledger: Ledger): Line[] {
  const lines: Line[] = [];
  let isQuoted = false;
  for (let start = 0; start < message.length; ) {
    const end = lineEnd(message, start);
    const line = message.slice(start, end);
    const ours = readLine(line, ledger);
    isQuoted = line === SUMMARY_HEADER || (isQuoted && line.startsWith('| '));
    lines.push({
      start,
      end,
      ours,
      isOurs: ours?.isTrue === true || headers.has(line) || isOmittedLine(line, ledger) || isQuoted,
    });
    start = end + 1;
  }
  return lines;
}

/** True when a piece of the message touches a line that is none of ours. `at` is a line in it. */
function hasForeign(lines: readonly Line[], at: number, start: number, end: number): boolean {
  let first = at;
  while (first > 0 && (lines[first]?.start ?? 0) > start) first -= 1;
  for (let place = first; place < lines.length; place += 1) {
    const line = lines[place];
    if (!line || line.start >= end) return false;
    if (!line.isOurs) return true;
  }
  return false;
}
