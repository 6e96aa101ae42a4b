import { mayHoldSecret, secretPattern } from './redact-patterns.ts';

/** Words after which a secret of any shape may follow, up to the end of the text. */
const announced =
  /(?:\b(?:bearer|basic)|(?:authorization|x-api-key|api-key|x-goog-api-key|x-auth-token|cookie|[A-Z0-9_]{0,60}(?:API_?KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS))["']?\s{0,4}(?:[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest)\s*)?)?)\s*$/i;
/** How an announcement ends: a quote, a mark, or the last letters of one of its words. */
const announcementEnd = /(?:[:="']|rer|sic|ken|est|ion|key|kie|ret|ord|als)$/i;
const keyBegin = /-----BEGIN(?![\s\S]*-----END [A-Z ]{0,40}-----)/;
/** More than this is never held back: what is longer is redacted as it stands. */
const MAX_HELD = 8_192;

/**
 * Where the last complete word ends, moved back over whatever announces a secret: from there on the text is held until more
 * of it comes, so that a secret split over two pieces is seen whole (R9).
 */
export function unfinishedFrom(text: string, secrets: readonly string[]): number {
  // Only the end can be held, so only the end is looked at: a large piece costs no more than a small one.
  const skipped = Math.max(0, text.length - 2 * MAX_HELD);
  const end = text.slice(skipped);
  let cut = lastWordStart(end);
  const key = keyBegin.exec(end);
  if (key) cut = Math.min(cut, key.index);
  const before = Math.max(0, cut - ANNOUNCEMENT);
  const announcement = mayAnnounce(end, cut) ? announced.exec(end.slice(before, cut)) : null;
  if (announcement) cut = before + announcement.index;
  for (const secret of secrets) cut = Math.min(cut, end.length - overlap(end, secret));
  for (const [start, stop] of found(end, secrets)) if (start < cut && cut < stop) cut = start;
  return end.length - cut > MAX_HELD ? text.length : skipped + cut;
}

/** Characters that an announcement and the space behind it can take. */
const ANNOUNCEMENT = 200;

/** A cheap look that says yes wherever `announced` could match; without it every delta costs the whole pattern. */
function mayAnnounce(text: string, cut: number): boolean {
  let last = cut;
  while (last > 0 && isSpace(text, last - 1)) last -= 1;
  return announcementEnd.test(text.slice(Math.max(0, last - 3), last));
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
  if (mayHoldSecret(text))
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
