import { inFlightOf, type Ledger, type RequestEntry } from './ledger.ts';
import { type MessageReading, readMessage } from './read-message.ts';
import { createTextIndex } from './text-index.ts';

/** A message of a provider request, with its text parts joined. */
export interface ContextMessage {
  readonly role: string;
  readonly content: string;
}

export type AuditKind =
  /** One message holds several requests with nothing between them that says where one ends. */
  | 'fused-requests'
  /** The instructions of a skill or command stand there, not in flight, with neither an answer nor a state beside them. */
  | 'dangling-instruction'
  /** A request is shown and nothing says whether it was done. */
  | 'unaccounted-request'
  /** What the user waits for is neither anchored nor the last message. */
  | 'in-flight-unnamed'
  /** An anchor names what is not in flight. */
  | 'stale-anchor';

export interface AuditFinding {
  readonly kind: AuditKind;
  /** The place in `messages`; absent where it is about the whole context. */
  readonly message?: number;
  readonly ids: readonly string[];
}

/** Looks at a rebuilt context with the ledger in hand and names what would mislead a reader. Reads; changes nothing. */
export function auditRebuilt(messages: readonly ContextMessage[], ledger: Ledger): AuditFinding[] {
  const index = createTextIndex(ledger);
  const readings = messages.map(({ role, content }): MessageReading => {
    if (role === 'assistant') return nothing;
    const reading = readMessage(content, ledger, index);
    // A vendor may put a hook's text behind a tool result; what a tool shows is no request.
    return role === 'tool' ? { ...reading, raw: [], isAlone: false } : reading;
  });
  const accounted = new Set(readings.flatMap(({ lines }) => trueIds(lines, 'account')));
  const anchored = new Set(readings.flatMap(({ lines }) => trueIds(lines, 'anchor')));
  const findings: AuditFinding[] = [];
  const waiting = inFlightOf(ledger);

  for (const [place, { raw, lines }] of readings.entries()) {
    const isAnswered = messages[place + 1]?.role === 'assistant';
    if (raw.length > 1) findings.push({ kind: 'fused-requests', message: place, ids: raw.map(nameOf) });
    const here = new Set(trueIds(lines, 'account'));
    const settled = raw.filter((group) => !group.some(({ inFlight }) => inFlight));
    const dangling = settled.filter((group) => group.every(({ kind, id }) => kind !== 'prompt' && !here.has(id)));
    if (dangling.length > 0 && !isAnswered)
      findings.push({ kind: 'dangling-instruction', message: place, ids: dangling.map(nameOf) });
    const unknown = settled.filter((group) => !group.some(({ id }) => accounted.has(id)));
    if (unknown.length > 0 && !isAnswered)
      findings.push({ kind: 'unaccounted-request', message: place, ids: unknown.map(nameOf) });
    const stale = lines.filter((line) => line.is === 'anchor' && !line.isTrue).map(({ id }) => id);
    const wrong = stale.filter((id) => !waiting.some((entry) => entry.id === id));
    if (wrong.length > 0) findings.push({ kind: 'stale-anchor', message: place, ids: wrong });
  }

  const last = readings[lastUser(messages)];
  const named = (entry: RequestEntry) =>
    anchored.has(entry.id) || (last?.isAlone === true && last.raw[0]?.some(({ id }) => id === entry.id) === true);
  const unnamed = waiting.filter((entry) => !named(entry)).map(({ id }) => id);
  if (unnamed.length > 0) findings.push({ kind: 'in-flight-unnamed', ids: unnamed });
  return findings;
}

const nothing: MessageReading = { raw: [], lines: [], isAlone: false };

function trueIds(lines: MessageReading['lines'], is: 'account' | 'anchor'): string[] {
  return lines.flatMap((line) => (line.is === is && line.isTrue ? [line.id] : []));
}

/** Requests that say the same are named by the newest of them. */
const nameOf = (group: readonly RequestEntry[]) => group.at(-1)?.id ?? '';

function lastUser(messages: readonly ContextMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}
