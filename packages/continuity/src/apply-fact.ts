import { type LedgerFact, parseFact } from './facts.ts';
import {
  type EvidenceRef,
  entryAt,
  entryOf,
  type Ledger,
  type OpenList,
  type RequestEntry,
  type RequestState,
  withEntry,
} from './ledger.ts';
import { hashText, trieGet, trieSet } from './trie.ts';

type Fact<T extends LedgerFact['t']> = Extract<LedgerFact, { t: T }>;

/**
 * Folds one fact. A fact about an unknown request, or one that says nothing new, gives the same ledger back; what is no fact throws
 * `invalid_options`.
 */
export function applyFact(ledger: Ledger, given: LedgerFact): Ledger {
  const fact = parseFact(given);
  if (fact.t === 'accepted') return accept(ledger, fact);
  if (fact.t === 'compacted') {
    return { ...ledger, compactions: ledger.compactions + 1, ...(fact.evidence ? { lastCompaction: fact.evidence } : {}) };
  }
  const entry = entryOf(ledger, fact.id);
  if (!entry) return ledger;
  switch (fact.t) {
    case 'started':
      if (entry.inFlight || entry.state !== 'open' || entry.outcome !== undefined) return ledger;
      return withEntry(ledger, { ...entry, inFlight: true, evidence: seen(entry, fact.evidence) });
    case 'held':
      if (!entry.inFlight) return ledger;
      return withEntry(ledger, { ...entry, inFlight: false, evidence: seen(entry, fact.evidence) });
    case 'settled':
      if (entry.outcome !== undefined && (entry.outcome !== 'unconfirmed' || fact.outcome === 'unconfirmed')) return ledger;
      return withEntry(ledger, settle(entry, fact));
    case 'dropped':
      return entry.state === 'open' && entry.outcome === undefined
        ? withEntry(ledger, { ...entry, state: 'abandoned', inFlight: false, evidence: seen(entry, fact.evidence) })
        : ledger;
    case 'related':
      return relate(ledger, entry, fact);
  }
}

/** Folds facts in order. */
export function applyFacts(ledger: Ledger, facts: Iterable<LedgerFact>): Ledger {
  let folded = ledger;
  for (const fact of facts) folded = applyFact(folded, fact);
  return folded;
}

function accept(ledger: Ledger, { id, text, kind = 'prompt', evidence }: Fact<'accepted'>): Ledger {
  if (entryOf(ledger, id)) return ledger;
  const seq = ledger.count;
  const entry: RequestEntry = { id, seq, text, kind, state: 'open', inFlight: false, evidence: evidence ? [evidence] : [] };
  const key = hashText(id);
  return {
    ...ledger,
    count: seq + 1,
    entries: trieSet(ledger.entries, seq, entry),
    seqs: trieSet(ledger.seqs, key, [...(trieGet(ledger.seqs, key) ?? []), seq]),
    open: { seq, next: openFrom(ledger, ledger.open) },
    objective: ledger.objective ?? id,
  };
}

/** Leaves out what has closed at the near end of the list, so that it stays as short as what is open. */
function openFrom(ledger: Ledger, list: OpenList | undefined): OpenList | undefined {
  let rest = list;
  while (rest && entryAt(ledger, rest.seq)?.state !== 'open') rest = rest.next;
  return rest;
}

function settle(entry: RequestEntry, { outcome, evidence }: Fact<'settled'>): RequestEntry {
  const ended: RequestState = outcome === 'completed' ? 'done' : outcome === 'aborted' ? 'abandoned' : 'open';
  const state = entry.state === 'open' ? ended : entry.state;
  return { ...entry, state, inFlight: false, outcome, evidence: seen(entry, evidence) };
}

/** A request is typed once: the first relation that says something stays. */
function relate(ledger: Ledger, entry: RequestEntry, { relation, target, evidence }: Fact<'related'>): Ledger {
  if (entry.relation !== undefined && (entry.relation !== 'unknown' || relation === 'unknown')) return ledger;
  const about = target === undefined ? ledger.objective : target;
  const earlier = about === undefined ? undefined : entryOf(ledger, about);
  const isLink = (relation === 'refine' || relation === 'correct') && earlier !== undefined && earlier.seq < entry.seq;
  const typed: RequestEntry = {
    ...entry,
    relation,
    ...(isLink ? { refines: earlier.id } : {}),
    evidence: seen(entry, evidence),
  };
  const linked = withEntry(ledger, typed);
  if (relation !== 'correct' && relation !== 'replace') return linked;
  const anchored = isNewest(linked, entry) ? { ...linked, objective: entry.id } : linked;
  return relation === 'replace' ? supersedeBefore(anchored, entry) : anchored;
}

/** The objective only moves forward: typing an old message late does not bring it back. */
function isNewest(ledger: Ledger, entry: RequestEntry): boolean {
  const current = ledger.objective === undefined ? undefined : entryOf(ledger, ledger.objective);
  return current === undefined || current.seq <= entry.seq;
}

/** Each entry leaves the open list at most once, so that replacing costs what it replaces. */
function supersedeBefore(ledger: Ledger, by: RequestEntry): Ledger {
  const later: number[] = [];
  let folded = ledger;
  for (let item = ledger.open; item; item = item.next) {
    const entry = entryAt(ledger, item.seq);
    if (entry?.state !== 'open') continue;
    if (entry.seq >= by.seq) later.push(entry.seq);
    else folded = withEntry(folded, { ...entry, state: 'superseded', supersededBy: by.id, inFlight: false });
  }
  const open = later.reduceRight<OpenList | undefined>((next, seq) => ({ seq, next }), undefined);
  return { ...folded, open };
}

function seen(entry: RequestEntry, evidence: EvidenceRef | undefined): readonly EvidenceRef[] {
  return evidence ? [...entry.evidence, evidence] : entry.evidence;
}
