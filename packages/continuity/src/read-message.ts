import type { Ledger } from './ledger.ts';
import { headers, type OurLine, readLine, SUMMARY_HEADER } from './lines.ts';
import { lineEnd, type TextGroup, type TextIndex } from './text-index.ts';

/** What one message of a context shows: texts of requests as they are, and lines of ours about requests. */
export interface MessageReading {
  readonly raw: readonly TextGroup[];
  readonly lines: readonly OurLine[];
  /** True when the message is one request, whole, and nothing else. */
  readonly isAlone: boolean;
}

/**
 * Reads a message from top to bottom. A line of ours counts where the ledger bears it out; one that stands inside the text of
 * a request is that text.
 */
export function readMessage(message: string, ledger: Ledger, index: TextIndex): MessageReading {
  const raw: TextGroup[] = [];
  const lines: OurLine[] = [];
  let isQuoted = false;
  let from = 0;
  let isAlone = false;
  for (let start = 0; start < message.length; ) {
    const end = lineEnd(message, start);
    const line = message.slice(start, end);
    const ours = readLine(line, ledger);
    isQuoted = line === SUMMARY_HEADER || (isQuoted && line.startsWith('| '));
    if (ours?.isTrue || headers.has(line) || isQuoted) {
      if (ours) lines.push(ours);
      from = start = end + 1;
      continue;
    }
    const found = index.beginningAt(message, start);
    if (found) {
      raw.push(found.group);
      isAlone = start === 0 && message.length - found.end <= 1 && found.group[0]?.text.trim() === message.trim();
      start = nextLine(message, found.end);
      from = start;
      continue;
    }
    const cut = index.endingAt(message, from, start + line.trimEnd().length);
    if (cut) raw.push(cut.group);
    else if (ours) lines.push(ours);
    start = end + 1;
    if (cut) from = start;
  }
  return { raw, lines, isAlone: isAlone && raw.length === 1 };
}

function nextLine(message: string, end: number): number {
  return end > 0 && message[end - 1] === '\n' ? end : lineEnd(message, end) + 1;
}
