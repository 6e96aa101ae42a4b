import { secretPattern } from './redact-patterns.ts';

/** Words after which a secret of any shape may follow, up to the end of the text. */
const announced =
  /(?:\b(?:bearer|basic)|(?:authorization|x-api-key|api-key|x-goog-api-key|x-auth-token|cookie|[A-Z0-9_]{0,60}(?:API_?KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS))["']?\s{0,4}(?:[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest)\s*)?)?)\s*$/i;
const keyBegin = /-----BEGIN(?![\s\S]*-----END [A-Z ]{0,40}-----)/;
/** More than this is never held back. Of a word that goes on for longer so much of its end is, so that no secret in it is cut in two. */
const MAX_HELD = 8_192;
const LONG_WORD_HELD = 4_096;

/**
 * Where the last complete word ends, moved back over whatever announces a secret: from there on the text is held until more
 * of it comes, so that a secret split over two pieces is seen whole (R9). `spaced` are the exact secrets of several words; `whole` are
 * all of them where one, or one of a known shape, may stand in the text as a whole.
 */
export function unfinishedFrom(text: string, spaced: readonly string[], whole: readonly string[] | undefined): number {
  // Only the end can be held, so only the end is looked at: a large piece costs no more than a small one.
  const skipped = Math.max(0, text.length - 2 * MAX_HELD);
  const end = skipped === 0 ? text : text.slice(skipped);
  let cut = lastWordStart(end);
  const key = whole ? keyBegin.exec(end) : null;
  if (key) cut = Math.min(cut, key.index);
  const last = lastWordEnd(end, cut);
  if (last > 0 && endsLikeAnnouncement(end, last)) {
    // However much space stands behind the words, they are found.
    const before = Math.max(0, last - ANNOUNCEMENT);
    const announcement = announced.exec(end.slice(before, cut));
    if (announcement) cut = before + announcement.index;
  }
  for (const secret of spaced) cut = Math.min(cut, end.length - overlap(end, secret));
  const places = whole ? found(end, whole) : [];
  cut = beforeWhole(cut, places);
  if (end.length - cut > MAX_HELD) cut = beforeWhole(beforePair(end, end.length - LONG_WORD_HELD), places);
  return end.length - cut > MAX_HELD ? text.length : skipped + cut;
}

function beforeWhole(cut: number, places: readonly (readonly [number, number])[]): number {
  let before = cut;
  for (const [start, stop] of places) if (start < before && before < stop) before = start;
  return before;
}

/** A cut inside a character is moved before it. */
function beforePair(text: string, cut: number): number {
  return (text.charCodeAt(cut) & 0xfc00) === 0xdc00 ? cut - 1 : cut;
}

/** The same for a small piece of clean text; undefined where the piece alone does not tell. */
export function unfinishedIn(piece: string): number | undefined {
  let cut = piece.length;
  while (cut > 0 && isPlain(piece.charCodeAt(cut - 1))) cut -= 1;
  let last = cut;
  while (last > 0 && isPlainSpace(piece.charCodeAt(last - 1))) last -= 1;
  // What is not plain may be a space too, with the words that announce before it.
  if (last < 3 || last === cut || piece.length > MAX_HELD || !isPlain(piece.charCodeAt(last - 1))) return undefined;
  return endsLikeAnnouncement(piece, last) ? undefined : cut;
}

function isPlain(code: number): boolean {
  return code > 32 && code < 128;
}

function isPlainSpace(code: number): boolean {
  return code === 32 || (code > 8 && code < 14);
}

/** Characters that an announcement can take, without the space behind it. */
const ANNOUNCEMENT = 200;

/** How the words that announce end; by the low five bits of three letters, so that their case does not matter. */
const announcementEnds = new Uint8Array(32_768);
for (const letters of ['rer', 'sic', 'ken', 'est', 'ion', 'key', 'kie', 'ret', 'ord', 'als'])
  announcementEnds[folded(letters, 3)] = 1;

/** A cheap look that says yes wherever `announced` could match; without it every delta costs the whole pattern. */
function endsLikeAnnouncement(text: string, last: number): boolean {
  const code = text.charCodeAt(last - 1);
  return code === 58 || code === 61 || code === 34 || code === 39 || announcementEnds[folded(text, last)] === 1; // : = " '
}

function folded(text: string, end: number): number {
  if (end < 3) return 0;
  return ((text.charCodeAt(end - 3) & 31) << 10) | ((text.charCodeAt(end - 2) & 31) << 5) | (text.charCodeAt(end - 1) & 31);
}

/** Where the last word before `start` ends. */
function lastWordEnd(text: string, start: number): number {
  let at = start;
  while (at > 0 && isSpace(text, at - 1)) at -= 1;
  return at;
}

function lastWordStart(text: string): number {
  let at = text.length;
  while (at > 0 && !isSpace(text, at - 1)) at -= 1;
  return at;
}

/** Most characters are told by their code; only the rare ones ask the engine what it trims. */
function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code <= 32 || code >= 128) && text[at]?.trim() === '';
}

/** Where whole secrets stand: a cut never goes through one. */
function found(text: string, secrets: readonly string[]): readonly (readonly [number, number])[] {
  const places: [number, number][] = [];
  for (const match of text.matchAll(secretPattern)) places.push([match.index, match.index + match[0].length]);
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) places.push([at, at + secret.length]);
  }
  return places;
}

/** The length of the longest end of `text` that is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  const last = text.charCodeAt(text.length - 1);
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length -= 1) {
    if (secret.charCodeAt(length - 1) === last && text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
