import { type Cursor, REDACTED, type SessionRecord } from '@native-compaction/core';
import type { About } from './about.ts';
import { applyFact, applyFacts } from './apply-fact.ts';
import type { LedgerFact } from './facts.ts';
import { entryAt, entryOf, type Ledger } from './ledger.ts';
import { factsFromRecord } from './session-facts.ts';

/** An input as it is sent: what the host says of it, and what was put before its text. */
type Sent = About & { readonly prefix: string };

/** The ledger of one session, kept from its records and from what the host says of its inputs. */
export interface SessionLedger {
  readonly current: Ledger;
  follow(record: SessionRecord): void;
  /** Sends, and knows the record of that input whenever it comes: inside the call, or behind it when a listener sends. */
  send<T extends { readonly id: string }>(sent: Sent, send: () => T): T;
  relate(id: string, about: About): void;
  /** True for a request of the ledger, and for an input that is sent and whose record has not come. */
  knows(id: string): boolean;
}

export function createSessionLedger(initial: Ledger): SessionLedger {
  let ledger = initial;
  let sending: Sent | undefined; // its record has not come, and its id is not known yet
  const sent = new Map<string, Sent>(); // sent inside a listener: the record comes later

  const relate = (id: string, { relation, target }: About) => {
    if (relation === undefined) return;
    ledger = applyFact(ledger, { t: 'related', id, relation, ...(target === undefined ? {} : { target }) });
  };
  const takeSent = (id: string): Sent | undefined => {
    const known = sent.get(id);
    if (known) sent.delete(id);
    else if (sending) {
      const current = sending;
      sending = undefined;
      return current;
    }
    return known;
  };

  return {
    get current() {
      return ledger;
    },
    follow(record) {
      const facts = factsFromRecord(record);
      if (record.type === 'session_closed') sent.clear();
      if (record.type !== 'input_accepted') {
        ledger = applyFacts(ledger, facts);
        return;
      }
      const about = takeSent(record.inputId);
      ledger = applyFacts(ledger, about ? facts.map((fact) => withoutPrefix(fact, about)) : facts);
      if (about) relate(record.inputId, about);
    },
    send(about, send) {
      const outer = sending;
      sending = about;
      try {
        const handle = send();
        if (sending === about) sent.set(handle.id, about);
        return handle;
      } finally {
        sending = outer;
      }
    },
    relate(id, about) {
      const early = sent.get(id);
      if (early) sent.set(id, early.relation === undefined ? { ...early, ...about } : early);
      else relate(id, about);
    },
    knows: (id) => sent.has(id) || entryOf(ledger, id) !== undefined,
  };
}

/** What the record says of the input's own text. The redactor may have changed the prefix, but hardly the number of its lines. */
function withoutPrefix(fact: LedgerFact, { prefix, kind }: Sent): LedgerFact {
  if (fact.t !== 'accepted') return fact;
  const { text } = fact;
  const lines = prefix.split('\n').length - 1;
  const own = text.startsWith(prefix) ? text.slice(prefix.length) : text.split('\n').slice(lines).join('\n');
  return { ...fact, text: own === '' ? REDACTED : own, ...(kind === undefined ? {} : { kind }) };
}

/**
 * A ledger of an earlier log: what was begun or queued there and has no end runs no more, and how it ended is not known. It stays
 * open, and is neither in flight nor coming by itself.
 */
export function afterRestart(ledger: Ledger, { log, seq }: Cursor): { ledger: Ledger; interrupted: readonly string[] } {
  const evidence = { source: log, position: seq, kind: 'log_opened' };
  const interrupted: string[] = [];
  let folded = ledger;
  for (let item = ledger.open; item; item = item.next) {
    const entry = entryAt(ledger, item.seq);
    if (entry?.state !== 'open' || entry.outcome !== undefined || entry.evidence.at(-1)?.source === log) continue;
    folded = applyFact(folded, { t: 'settled', id: entry.id, outcome: 'unconfirmed', evidence });
    interrupted.unshift(entry.id);
  }
  return { ledger: folded, interrupted };
}
