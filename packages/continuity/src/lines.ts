import { z } from 'zod';
import type { Ledger, RequestEntry, RequestKind, RequestState } from './ledger.ts';
import { entryOf } from './ledger.ts';
import { count } from './limits.ts';
import { type Excerpt, toJsonText } from './quote.ts';

/** What a rebuilt context says of one request. */
export interface AccountLine {
  readonly id: string;
  readonly kind: RequestKind;
  readonly state: RequestState;
  readonly inFlight?: true;
  /** Accepted and not begun: it comes by itself. */
  readonly queued?: true;
  /** How the run of a request that is still open ended. */
  readonly outcome?: 'failed' | 'unconfirmed';
  readonly supersededBy?: string;
  readonly refines?: string;
}

/** What every text of ours says, so that nothing finished is begun again. */
export const NOT_AGAIN =
  'What is marked done, abandoned or superseded must not be started again, also where its text or its instructions are shown here.';

export const NOT_YET = 'What is marked queued comes by itself in its turn: do not begin it before.';

export const RECORD_HEADER = '[record of requests]';
export const SUMMARY_HEADER = '[summary of the conversation, notes and not proof]';
export const ANCHOR_HEADER = '[request in flight: the user waits for the answer to this; go on with it]';
export const STILL_OPEN_HEADER = '[request still open: its run ended without an answer to this]';

/** Our own lines that carry no value. */
export const headers: ReadonlySet<string> = new Set([
  RECORD_HEADER,
  SUMMARY_HEADER,
  ANCHOR_HEADER,
  STILL_OPEN_HEADER,
  NOT_AGAIN,
  NOT_YET,
]);

export function toAccountLine(entry: RequestEntry): AccountLine {
  const { id, kind, state, inFlight, outcome, supersededBy, refines } = entry;
  const isIdle = state === 'open' && !inFlight;
  return {
    id,
    kind,
    state,
    ...(inFlight ? { inFlight } : {}),
    ...(isIdle && outcome === undefined ? { queued: true } : {}),
    ...(isIdle && (outcome === 'failed' || outcome === 'unconfirmed') ? { outcome } : {}),
    ...(supersededBy === undefined ? {} : { supersededBy }),
    ...(refines === undefined ? {} : { refines }),
  };
}

/** One line: the state stands before the text, so that no instruction is read without it. */
export function renderAccount(line: AccountLine, excerpt?: Excerpt): string {
  return `request ${toJsonText({ ...line, ...excerpt })}`;
}

export function renderInFlight(id: string, kind: RequestKind, excerpt: Excerpt): string {
  return `in-flight ${toJsonText({ id, kind, ...excerpt })}`;
}

/** Says what is not shown. */
export function renderOmitted(counts: object): string {
  return `omitted ${toJsonText(counts)}`;
}

const omittedSchema = z.strictObject({
  open: count.optional(),
  done: count.optional(),
  abandoned: count.optional(),
  superseded: count.optional(),
  inFlight: count.optional(),
  openIds: z.array(z.string()).optional(),
});

/** True for a line that only counts what is not shown, and names no request that is not open. */
export function isOmittedLine(line: string, ledger: Ledger): boolean {
  const value = line.startsWith('omitted {') ? parse(line.slice(8)) : undefined;
  if (value === undefined || line !== renderOmitted(value)) return false;
  const counts = omittedSchema.safeParse(value).data;
  return counts?.openIds?.every((id) => entryOf(ledger, id)?.state === 'open') ?? counts !== undefined;
}

/** A text of many lines, none of which can begin like one of ours. */
export function renderQuoted(text: string): string {
  return text
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((line) => `| ${line}`)
    .join('\n');
}

export type OurLine =
  | { readonly is: 'account'; readonly id: string; readonly isTrue: boolean }
  | { readonly is: 'anchor'; readonly id: string; readonly isTrue: boolean };

/** Reads a line of ours back and checks it against the facts: what the ledger does not bear out is not true. */
export function readLine(line: string, ledger: Ledger): OurLine | undefined {
  const word = line.startsWith('request {') ? 'request' : line.startsWith('in-flight {') ? 'in-flight' : undefined;
  if (word === undefined) return undefined;
  const value = parse(line.slice(word.length + 1));
  const id = value?.id;
  if (value === undefined || typeof id !== 'string') return undefined;
  const entry = entryOf(ledger, id);
  const excerpt = excerptOfValue(value);
  const isText = entry !== undefined && isExcerptOf(excerpt, entry.text);
  if (word === 'in-flight') {
    const isTrue = isText && entry.inFlight && line === renderInFlight(id, entry.kind, excerpt);
    return { is: 'anchor', id, isTrue };
  }
  const shown = 'text' in value ? excerpt : undefined;
  const isTrue = (shown === undefined || isText) && entry !== undefined && line === renderAccount(toAccountLine(entry), shown);
  return { is: 'account', id, isTrue };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function excerptOfValue({ text, omitted, end }: Record<string, unknown>): Excerpt {
  return {
    text: typeof text === 'string' ? text : '',
    ...(typeof omitted === 'number' ? { omitted } : {}),
    ...(typeof end === 'string' ? { end } : {}),
  };
}

function isExcerptOf({ text, omitted, end = '' }: Excerpt, whole: string): boolean {
  if (omitted === undefined) return text === whole;
  return text.length + omitted + end.length === whole.length && whole.startsWith(text) && whole.endsWith(end);
}
