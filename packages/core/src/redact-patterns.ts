import { somewhere } from './secret-scan.ts';

const keyShapes = [
  String.raw`(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}`,
  String.raw`(?<![A-Za-z0-9])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}`,
  String.raw`gh[pousr]_[A-Za-z0-9]{30,}`,
  String.raw`github_pat_[A-Za-z0-9_]{30,}`,
  String.raw`glpat-[A-Za-z0-9_-]{16,}`,
  String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}`,
  String.raw`AIza[A-Za-z0-9_-]{30,}`,
  String.raw`(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{16,}`,
  String.raw`(?<![A-Za-z0-9])(?:npm|hf|gsk|r8)_[A-Za-z0-9]{24,}`,
  String.raw`(?<![A-Za-z0-9])(?:xai|pplx|pypi)-[A-Za-z0-9_-]{24,}`,
  String.raw`(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`,
  String.raw`(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{4,}`,
  String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)`,
].join('|');

/** Words that name a secret in the query of a URL. */
export const secretWord = '(?:api[-_]?key|access[-_]?key|token|secret|passw(?:or)?d|credential|signature|sig|auth|key)';
/** Every shape of secret in one pass over the text; a named group keeps what stands before a secret. */
export const secretPattern = new RegExp(
  [
    `(?<shape>${keyShapes})`,
    String.raw`(?<scheme>[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s\/?#"'<>@]{1,512}(?:@[^\s\/?#"'<>@]{0,512})*@(?=[^\s\/])`,
    String.raw`(?<query>[?&;][\w.-]{0,40}${secretWord}[\w.-]{0,40}=)[^&#\s"'<>;]+`,
    String.raw`(?<header>\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest)\s+)?)[^\s"',;]+`,
    String.raw`(?<field>\b(?:x-api-key|api-key|x-goog-api-key|x-auth-token|cookie|set-cookie)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;]+`,
    String.raw`(?<bearer>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+\/-]{8,}=*`,
    String.raw`(?<variable>\b[A-Za-z0-9_]{0,60}(?:API_KEY|APIKEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS)["']?\s{0,2}[=:]\s{0,2}["']?)[^\s"',;]{6,}`,
  ].join('|'),
  'gi',
);
/**
 * What must stand where a mark is for `secretPattern` to match around it: each shape from its mark on. It asks nothing of what stands
 * before a shape, so that a text in which it finds nothing is clean in every part.
 */
const suspect = [
  String.raw`sk-[\w-]{16}|[srp]k_(?:live|test)_|(?<=g)h[pousr]_[a-z0-9]{30}|(?<=github_p)at_|(?<=glp)at-`,
  String.raw`xox[abeoprs]-|a[ks]ia[a-z0-9]{16}|aiza[\w-]{30}|(?<=ya)29\.|(?:pm|hf|sk|r8)_[a-z0-9]{24}|(?:ai|lx|pi)-[\w-]{24}`,
  String.raw`sg\.[\w-]{16}|eyj[\w-]{5}|-begin |(?<=auth)orization["']?\s{0,4}[:=]|(?:cookie|pikey)["']?\s{0,4}[:=]`,
  String.raw`[-_](?:key|token|secret|password|credentials)["']?\s{0,4}[:=]|(?:bearer|basic)\s+[\w.~+/-]{8}|[?&;][\w.-]{3,91}=`,
].join('|');
const suspectAt = new RegExp(suspect, 'iy');
const suspectAnywhere = new RegExp(suspect, 'i');

/** A cheap look that says yes wherever `secretPattern` could match; a property test holds them together. */
export function mayHoldSecret(text: string): boolean {
  const isSuspect = (at: number) => {
    suspectAt.lastIndex = at;
    return suspectAt.test(text);
  };
  return (somewhere(text, isSuspect) ?? suspectAnywhere.test(text)) || (text.includes('@') && text.includes('://'));
}
