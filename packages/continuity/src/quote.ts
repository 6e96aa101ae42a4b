/** Counts the tokens of a text; a host with a tokenizer of its own gives that. */
export type Estimate = (text: string) => number;

/** Four ASCII characters a token, and one token for every other code point. */
export const estimateTokens: Estimate = (text) => {
  let ascii = 0;
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 128) ascii += 1;
    else if (code < 0xdc00 || code > 0xdfff) other += 1;
  }
  return Math.ceil(ascii / 4) + other;
};

/** A text, or its beginning and its end with the number of UTF-16 units left out between them. */
export interface Excerpt {
  readonly text: string;
  readonly omitted?: number;
  readonly end?: string;
}

/** One line of JSON: nothing in a value can end the line or begin another, whatever reads it. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The longest beginning that fits, cut between graphemes; empty where a tokenizer of its own mind takes even that for too long. */
export function beginningThatFits(text: string, fits: (piece: string) => boolean): string {
  const piece = cutter(text).beginning(longest(text.length, (size) => fits(text.slice(0, size))));
  return fits(piece) ? piece : '';
}

/** The longest end that fits, cut between graphemes. */
export function endThatFits(text: string, fits: (piece: string) => boolean): string {
  const piece = cutter(text).end(longest(text.length, (size) => fits(text.slice(text.length - size))));
  return fits(piece) ? piece : '';
}

/** The whole text if it fits, else its beginning and its end with the cut told. */
export function excerptThatFits(text: string, fits: (excerpt: Excerpt) => boolean): Excerpt {
  if (fits({ text })) return { text };
  const raw = (size: number) => excerptOf(text, text.slice(0, size), text.slice(text.length - size));
  const half = longest(Math.ceil(text.length / 2) - 1, (size) => fits(raw(size)));
  const { beginning, end } = cutter(text);
  const excerpt = excerptOf(text, beginning(half), end(half));
  return fits(excerpt) ? excerpt : excerptOf(text, '', '');
}

/** An excerpt of a beginning and an end that do not meet. */
export function excerptOf(text: string, start: string, end: string): Excerpt {
  const omitted = text.length - start.length - end.length;
  return { text: start, omitted, ...(end === '' ? {} : { end }) };
}

/** Gallops first, so that a small limit on a large text costs what the limit allows. */
function longest(limit: number, fits: (size: number) => boolean): number {
  let low = 0;
  let high = Math.min(limit, 64);
  while (high > low && fits(high)) {
    low = high;
    high = Math.min(limit, high * 2);
  }
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Pieces of at most so many UTF-16 units that hold whole graphemes only. */
function cutter(text: string) {
  const segments = graphemes.segment(text);
  const at = (index: number) => (index > 0 && index < text.length ? segments.containing(index) : undefined);
  return {
    beginning: (size: number) => text.slice(0, at(size)?.index ?? size),
    end(size: number) {
      const cut = text.length - size;
      const segment = at(cut);
      return text.slice(segment && segment.index !== cut ? segment.index + segment.segment.length : cut);
    },
  };
}
