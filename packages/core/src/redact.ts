import { mayHoldSecret, secretPattern, secretWord } from './redact-patterns.ts';
import { unfinishedFrom, unfinishedIn } from './redact-unfinished.ts';

/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** The one redactor that every string leaving the library has passed (R9). Ids are never handed to it. */
export interface Redactor {
  /** Takes known key shapes, authorization values, URL userinfo and query secrets, and exact secret values out. */
  text(text: string): string;
  /** `text`, and home paths and hosts too: for error-derived text and stderr. */
  error(text: string): string;
  /** `error`, cut to 4,000 characters with a word on what is gone: a vendor may hand on a provider's whole error body. */
  message(text: string): string;
  /**
   * `before` and `text` cut where they may still grow into a secret when more comes: what may be shown, redacted, and the raw rest.
   * `isClean` spares the look where `isClean` said yes to a text that holds both.
   */
  split(before: string, text: string, isClean?: boolean): { readonly shown: string; readonly held: string };
  /** True if nothing in `text` can be a secret; every part of it is clean then. False says nothing. */
  isClean(text: string): boolean;
  /** A copy of a JSON value with every string redacted; the value itself where nothing was found. */
  value<T>(value: T): T;
}

/** Builds the redactor of one session from the environment its vendor process gets. */
export function createRedactor(environment: Readonly<Record<string, string | undefined>> = {}): Redactor {
  const secrets = secretValues(environment);
  /** The others end where a word ends, and a word that has not ended is held anyway. */
  const spaced = secrets.filter((secret) => /\s/.test(secret));
  const homes = [environment.HOME, environment.USERPROFILE].filter((home): home is string => (home?.length ?? 0) > 3);

  const holdsSecret = (input: string): boolean => {
    for (const secret of secrets) if (input.includes(secret)) return true;
    return mayHoldSecret(input);
  };
  const replaced = (input: string): string => {
    let output = input;
    for (const secret of secrets) if (output.includes(secret)) output = output.replaceAll(secret, REDACTED);
    return output.replace(secretPattern, (match, ...args) =>
      replacement(match, args.at(-1) as Record<string, string | undefined>),
    );
  };
  const text = (input: string): string => (holdsSecret(input) ? replaced(input) : input);
  const value = <T>(input: T): T => walk(input, text) as T;
  const error = (input: string): string => {
    let output = text(input);
    for (const home of homes) output = output.replaceAll(home, '~');
    return output
      .replace(keyBody, REDACTED)
      .replace(homePath, '~')
      .replace(hostName, (_match, scheme?: string) => `${scheme ?? ''}[host]`);
  };
  const split = (before: string, piece: string, isClean = false) => {
    // Most often the piece itself shows where it ends, and the two need not be put together to be looked at.
    const quick = isClean && spaced.length === 0 ? unfinishedIn(piece) : undefined;
    if (quick !== undefined) return { shown: before + piece.slice(0, quick), held: piece.slice(quick) };
    const input = before + piece;
    const isSuspect = !isClean && holdsSecret(input);
    const end = unfinishedFrom(input, spaced, isSuspect ? secrets : undefined);
    const shown = end === input.length ? input : input.slice(0, end);
    return { shown: isSuspect ? replaced(shown) : shown, held: end === input.length ? '' : input.slice(end) };
  };
  return { text, value, split, isClean: (input) => !holdsSecret(input), error, message: (input) => cut(error(input)) };
}

const MESSAGE_CHARACTERS = 4_000;

function cut(message: string): string {
  if (message.length <= MESSAGE_CHARACTERS) return message;
  const kept = message.slice(0, MESSAGE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept} … [${message.length - kept.length} characters more]`;
}

/** Lines of a key whose beginning was cut off. */
const keyBody = /(?:^|\n)(?:[A-Za-z0-9+/=]{60,76}\r?\n){2,}[A-Za-z0-9+/=]*(?:\r?\n-----END [A-Z ]{0,40}-----)?/g;
const homePath = /\/(?:home|Users)\/[^/\s"'`:]+|[A-Z]:\\Users\\[^\\\s"'`]+|\/root(?=\/)/g;
const hostName =
  /([a-z][a-z0-9+.-]{1,20}:\/\/)(?!\[host\])(?:\[redacted\]@)?[^\s/?#"'<>()]+|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|\[[0-9a-f:]*:[0-9a-f:]+\](?::\d+)?|\blocalhost:\d+|\b(?:[a-z0-9-]{1,63}\.){1,6}(?:com|net|org|io|dev|ai|app|cloud|internal|intranet|local|lan|corp)\b(?::\d+)?/gi;

function replacement(match: string, groups: Record<string, string | undefined>): string {
  if (groups.shape !== undefined) return REDACTED;
  const kept = groups.scheme ?? groups.query ?? groups.header ?? groups.field ?? groups.bearer ?? groups.variable ?? '';
  if (match.slice(kept.length).startsWith(REDACTED)) return match;
  return `${kept}${REDACTED}${groups.scheme === undefined ? '' : '@'}`;
}

const secretName =
  /(?:^|_)(?:API_?KEY|KEY|PAT|PASS|AUTH|COOKIE|CREDENTIALS?)(?:_|$)|_PWD$|TOKEN|SECRET|PASSW|PASSPHRASE|APIKEY|CREDENTIAL|BEARER/i;
/** Shorter values would take ordinary words out of every text. */
const MIN_SECRET_LENGTH = 6;

/** The exact values of secret-named variables, and passwords inside URL-valued ones; longest first. */
function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const found = new Set<string>();
  const add = (value: string | undefined) => {
    if (value === undefined || value.length < MIN_SECRET_LENGTH || /^(?:\d+|true|false)$/i.test(value)) return;
    const escaped = JSON.stringify(value).slice(1, -1);
    for (const form of [value, encodeURIComponent(value), escaped]) found.add(form);
  };
  for (const [name, value] of Object.entries(environment)) {
    if (!value) continue;
    if (secretName.test(name)) add(value);
    if (/HEADERS$/i.test(name)) for (const line of value.split(/[\n,]/)) add(line.slice(line.indexOf(':') + 1).trim());
    if (value.includes('://')) for (const part of userinfo(value)) add(part);
  }
  return [...found].sort((a, b) => b.length - a.length);
}

function userinfo(value: string): string[] {
  try {
    const url = new URL(value);
    const query = [...url.searchParams].flatMap(([name, part]) => (new RegExp(secretWord, 'i').test(name) ? [part] : []));
    const user = url.password === '' ? [url.username] : [];
    return [url.password, decodeURIComponent(url.password), ...user, ...query];
  } catch {
    return [];
  }
}

/** Deeper values are cut off: an agent that nests a value a thousand deep must not take the host down. */
const MAX_DEPTH = 200;

function walk(value: unknown, text: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[nested too deep]';
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, text, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let changed = false;
  const members = Object.entries(value).map(([key, member]) => {
    const pair: [string, unknown] = [text(key), walk(member, text, depth + 1)];
    changed ||= pair[0] !== key || pair[1] !== member;
    return pair;
  });
  return changed ? Object.fromEntries(members) : value;
}
