import { entriesOf, type Ledger, type RequestEntry } from './ledger.ts';

/** Requests that say the same, word for word, cannot be told apart in a context. */
export type TextGroup = readonly RequestEntry[];

/** Finds where the text of a request begins or ends in a message, at a cost that does not grow with the ledger. */
export interface TextIndex {
  /** The longest text that stands at `start`, whole or cut off later, and where it ends. */
  beginningAt(message: string, start: number): { group: TextGroup; end: number } | undefined;
  /** The text whose cut-off end stands before `end`, and where that piece begins. */
  endingAt(message: string, from: number, end: number): { group: TextGroup; start: number } | undefined;
}

/** The shortest piece by which a text is known; a shorter text must stand alone in its line. */
const PROBE = 24;
/** How many texts with one and the same probe are compared. */
const CANDIDATES = 8;

export function createTextIndex(ledger: Ledger): TextIndex {
  const groups = new Map<string, RequestEntry[]>();
  for (const entry of entriesOf(ledger)) {
    const text = entry.text.trim();
    if (text !== '') groups.set(text, [...(groups.get(text) ?? []), entry].slice(-CANDIDATES));
  }
  const heads = new Map<string, string[]>();
  const tails = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, text: string) => {
    const found = map.get(key) ?? [];
    if (found.length < CANDIDATES) map.set(key, [...found, text]);
  };
  for (const text of groups.keys()) {
    for (let size = PROBE; size <= text.length; size *= 4) {
      add(heads, text.slice(0, size), text);
      add(tails, text.slice(-size), text);
    }
  }

  return {
    beginningAt(message, start) {
      const texts = deepest(heads, message.length - start, (size) => message.slice(start, start + size));
      const found = bestOf(texts, (text) => commonPrefix(message, start, text));
      if (found) return { group: groups.get(found.text) ?? [], end: start + found.length };
      const line = message.slice(start, lineEnd(message, start)).trim();
      const group = line.length < PROBE ? groups.get(line) : undefined;
      return group ? { group, end: lineEnd(message, start) } : undefined;
    },
    endingAt(message, from, end) {
      const texts = deepest(tails, end - from, (size) => message.slice(end - size, end));
      const found = bestOf(texts, (text) => commonSuffix(message, from, end, text));
      return found && { group: groups.get(found.text) ?? [], start: end - found.length };
    },
  };
}

/** The texts under the longest probe that is known: each longer one is looked at only when the shorter one was there. */
function deepest(map: ReadonlyMap<string, string[]>, room: number, piece: (size: number) => string): readonly string[] {
  let texts: readonly string[] = [];
  for (let size = PROBE; size <= room; size *= 4) {
    const longer = map.get(piece(size));
    if (!longer) break;
    texts = longer;
  }
  return texts;
}

export function lineEnd(message: string, start: number): number {
  const end = message.indexOf('\n', start);
  return end < 0 ? message.length : end;
}

function bestOf(texts: readonly string[], measure: (text: string) => number): { text: string; length: number } | undefined {
  let best: { text: string; length: number } | undefined;
  for (const text of texts) {
    const length = measure(text);
    const isWhole = length === text.length;
    if (best === undefined || length > best.length || (length === best.length && isWhole)) best = { text, length };
  }
  return best;
}

function commonPrefix(message: string, start: number, text: string): number {
  if (message.startsWith(text, start)) return text.length;
  let length = 0;
  while (length < text.length && message.charCodeAt(start + length) === text.charCodeAt(length)) length += 1;
  return length;
}

function commonSuffix(message: string, from: number, end: number, text: string): number {
  let length = 0;
  const limit = Math.min(text.length, end - from);
  while (length < limit && message.charCodeAt(end - length - 1) === text.charCodeAt(text.length - length - 1)) length += 1;
  return length;
}
