import { inFlightOf, type Ledger, type RequestEntry, type RequestKind } from './ledger.ts';
import { ANCHOR_HEADER, NOT_AGAIN, renderInFlight, STILL_OPEN_HEADER } from './lines.ts';
import { type Estimate, type Excerpt, estimateTokens, excerptThatFits } from './quote.ts';

export interface AnchoredRequest extends Excerpt {
  readonly id: string;
  readonly kind: RequestKind;
}

/** The request the user waits for, in words of ours that its own text cannot leave. */
export interface Anchor {
  readonly ids: readonly string[];
  readonly requests: readonly AnchoredRequest[];
  render(): string;
}

export interface AnchorOptions {
  /** The cap of each request's line in tokens (default 8,000): a longer text keeps its beginning and its end. */
  readonly inFlightTokens?: number | undefined;
  readonly estimate?: Estimate | undefined;
}

/** The cap of one request in flight unless the host says otherwise, in tokens. */
const IN_FLIGHT_TOKENS = 8_000;

/** The anchor of what is in flight; null when nothing is. */
export function anchorFor(ledger: Ledger, options: AnchorOptions = {}): Anchor | null {
  return toAnchor(inFlightOf(ledger), ANCHOR_HEADER, options);
}

/** The anchor of requests whose run ended and that are still open, for the input that follows. */
export function stillOpenAnchor(entries: readonly RequestEntry[], options: AnchorOptions = {}): Anchor | null {
  return toAnchor(entries, STILL_OPEN_HEADER, options);
}

function toAnchor(entries: readonly RequestEntry[], header: string, options: AnchorOptions): Anchor | null {
  if (entries.length === 0) return null;
  const { inFlightTokens = IN_FLIGHT_TOKENS, estimate = estimateTokens } = options;
  const requests = entries.map(({ id, kind, text }) => {
    const fits = (excerpt: Excerpt) => estimate(renderInFlight(id, kind, excerpt)) <= inFlightTokens;
    return { id, kind, ...excerptThatFits(text, fits) };
  });
  return {
    ids: entries.map(({ id }) => id),
    requests,
    render: () =>
      [NOT_AGAIN, header, ...requests.map(({ id, kind, ...excerpt }) => renderInFlight(id, kind, excerpt))].join('\n'),
  };
}
