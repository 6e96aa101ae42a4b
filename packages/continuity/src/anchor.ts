import { inFlightOf, type Ledger, type RequestEntry, type RequestKind } from './ledger.ts';
import { checkLimits, count, estimate as estimateSchema, soundEstimate } from './limits.ts';
import { ANCHOR_HEADER, NOT_AGAIN, renderInFlight, renderOmitted, STILL_OPEN_HEADER } from './lines.ts';
import { type Estimate, type Excerpt, estimateTokens, excerptThatFits } from './quote.ts';

export interface AnchoredRequest extends Excerpt {
  readonly id: string;
  readonly kind: RequestKind;
}

/** The request the user waits for, in words of ours that its own text cannot leave. */
export interface Anchor {
  readonly ids: readonly string[];
  readonly requests: readonly AnchoredRequest[];
  /** Requests that had no room: counted in the text, and not named. */
  readonly unnamed: readonly string[];
  render(): string;
}

export interface AnchorOptions {
  /** The cap of each request's line in tokens (default 8,000): a longer text keeps its beginning and its end. */
  readonly inFlightTokens?: number | undefined;
  readonly estimate?: Estimate | undefined;
}

/** The cap of one request in flight unless the host says otherwise, in tokens. */
const IN_FLIGHT_TOKENS = 8_000;

export const anchorShape = { inFlightTokens: count.optional(), estimate: estimateSchema.optional() };

/** The anchor of what is in flight, all of it; null when nothing is. */
export function anchorFor(ledger: Ledger, options: AnchorOptions = {}): Anchor | null {
  const { inFlightTokens, estimate } = capsOf(options, 'anchorFor()');
  return toAnchor(inFlightOf(ledger), ANCHOR_HEADER, (entry) => lineThatFits(entry, inFlightTokens, estimate), []);
}

/** The anchor of requests whose run ended and that are still open, for the input that follows: all of it within the one cap. */
export function stillOpenAnchor(entries: readonly RequestEntry[], options: AnchorOptions = {}): Anchor | null {
  const { inFlightTokens, estimate } = capsOf(options, 'withContinuity(): anchor');
  return anchorWithin(entries, STILL_OPEN_HEADER, inFlightTokens, estimate);
}

/** The same for what is in flight, in at most so many UTF-16 units, whatever the number of requests. */
export function boundedAnchor(ledger: Ledger, maxCharacters: number): Anchor | null {
  return anchorWithin(inFlightOf(ledger), ANCHOR_HEADER, maxCharacters, (text) => text.length);
}

function capsOf(options: AnchorOptions, where: string): { inFlightTokens: number; estimate: Estimate } {
  checkLimits(anchorShape, options, where);
  const { inFlightTokens = IN_FLIGHT_TOKENS, estimate = estimateTokens } = options;
  return { inFlightTokens, estimate: soundEstimate(estimate, where) };
}

/** What a line gets at least, if the whole allows it: an id of ours and some words. */
const LINE_MINIMUM = 100;

/** The newest come first: each gets an even part of what is left, and the ones that have no room are counted. */
function anchorWithin(entries: readonly RequestEntry[], header: string, cap: number, estimate: Estimate): Anchor | null {
  let left = cap - estimate([NOT_AGAIN, header, renderOmitted({ inFlight: entries.length }), ''].join('\n'));
  const least = estimate(`${renderInFlight('', 'skill', { text: '' })}\n`);
  const lines = new Map<RequestEntry, AnchoredRequest>();
  for (const [index, entry] of entries.toReversed().entries()) {
    if (left < least) break;
    const even = Math.floor(left / (entries.length - index));
    const line = lineThatFits(entry, Math.min(left, Math.max(even, LINE_MINIMUM)) - estimate('\n'), estimate);
    const needed = estimate(`${renderLine(line)}\n`);
    if (needed > left) continue;
    left -= needed;
    lines.set(entry, line);
  }
  const named = entries.filter((entry) => lines.has(entry));
  const unnamed = entries.filter((entry) => !lines.has(entry)).map(({ id }) => id);
  return toAnchor(named, header, (entry) => lines.get(entry) as AnchoredRequest, unnamed);
}

function lineThatFits({ id, kind, text }: RequestEntry, cap: number, estimate: Estimate): AnchoredRequest {
  return { id, kind, ...excerptThatFits(text, (excerpt) => estimate(renderInFlight(id, kind, excerpt)) <= cap) };
}

function toAnchor(
  entries: readonly RequestEntry[],
  header: string,
  lineOf: (entry: RequestEntry) => AnchoredRequest,
  unnamed: readonly string[],
): Anchor | null {
  if (entries.length + unnamed.length === 0) return null;
  const requests = entries.map(lineOf);
  const left = unnamed.length === 0 ? [] : [renderOmitted({ inFlight: unnamed.length })];
  return {
    ids: requests.map(({ id }) => id),
    requests,
    unnamed,
    render: () => [NOT_AGAIN, header, ...left, ...requests.map(renderLine)].join('\n'),
  };
}

function renderLine({ id, kind, ...excerpt }: AnchoredRequest): string {
  return renderInFlight(id, kind, excerpt);
}
