/** Words after which a secret of any shape may follow, up to the end of the text. */
const announced =
  /(?:\b(?:bearer|basic)|(?:authorization|x-api-key|api-key|x-goog-api-key|x-auth-token|cookie|[A-Z0-9_]{0,60}(?:API_?KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS))["']?\s{0,4}(?:[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest)\s*)?)?)\s*$/i;
const keyBegin = /-----BEGIN(?![\s\S]*-----END [A-Z ]{0,40}-----)/;
/** More than this is never held back: what is longer is redacted as it stands. */
const MAX_HELD = 8_192;

/**
 * Where the last complete word ends, moved back over whatever announces a secret: from there on the text is held until more
 * of it comes, so that a secret split over two pieces is seen whole (R9).
 */
export function unfinishedFrom(text: string, secrets: readonly string[], whole: RegExp): number {
  let cut = text.length - (/\S*$/.exec(text)?.[0].length ?? 0);
  const key = keyBegin.exec(text);
  if (key) cut = Math.min(cut, key.index);
  const announcement = announced.exec(text.slice(0, cut));
  if (announcement) cut = Math.min(cut, announcement.index);
  for (const secret of secrets) cut = Math.min(cut, text.length - overlap(text, secret));
  for (const [start, end] of found(text, secrets, whole)) if (start < cut && cut < end) cut = start;
  return text.length - cut > MAX_HELD ? text.length : cut;
}

/** Where whole secrets stand: a cut never goes through one. */
function* found(text: string, secrets: readonly string[], whole: RegExp): Generator<readonly [number, number]> {
  for (const match of text.matchAll(whole)) yield [match.index, match.index + match[0].length];
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) yield [at, at + secret.length];
  }
}

/** The length of the longest end of `text` that is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
