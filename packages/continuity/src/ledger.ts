import { emptyTrie, hashText, type Trie, trieDelete, trieEach, trieGet, trieSet } from './trie.ts';

/** What a user message says of the objective before it. `correct` and `replace` make themselves the new anchor. */
export const relations = ['unknown', 'acknowledge', 'continue', 'refine', 'correct', 'replace'] as const;
export type Relation = (typeof relations)[number];

/** `done`, `abandoned` and `superseded` are final: the same id never becomes open again. */
export const requestStates = ['open', 'done', 'abandoned', 'superseded'] as const;
export type RequestState = (typeof requestStates)[number];

/** `skill` and `command` carry instructions that a model would follow again if it met them without their state. */
export const requestKinds = ['prompt', 'skill', 'command'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** The native event or record that caused a change: which log, its number there, and its own name. */
export interface EvidenceRef {
  readonly source: string;
  readonly position: number;
  readonly kind: string;
}

/** One request of the user, as facts know it. */
export interface RequestEntry {
  readonly id: string;
  /** The order of acceptance, from 0. */
  readonly seq: number;
  readonly text: string;
  readonly kind: RequestKind;
  readonly relation?: Relation;
  /** The request that this one refines or corrects. */
  readonly refines?: string;
  readonly supersededBy?: string;
  readonly state: RequestState;
  /** Started, not settled and still open: the user waits for it. */
  readonly inFlight: boolean;
  /** How its run ended; an entry that failed or whose end is not known stays open. */
  readonly outcome?: 'completed' | 'failed' | 'aborted' | 'unconfirmed';
  readonly evidence: readonly EvidenceRef[];
}

/** Seqs of entries that may still be open, newest first. */
export interface OpenList {
  readonly seq: number;
  readonly next: OpenList | undefined;
}

/** Every request of a session with its state. Immutable; one fact costs the same whatever came before. */
export interface Ledger {
  /** Entries so far; the next one gets this `seq`. */
  readonly count: number;
  readonly entries: Trie<RequestEntry>;
  /** Seqs by the hash of the id. */
  readonly seqs: Trie<readonly number[]>;
  readonly open: OpenList | undefined;
  /** Seqs of what is in flight, by seq; `inFlightOf` gives the entries in order. */
  readonly inFlight: Trie<number>;
  /** The entry that a typed `refine` or `correct` without a target is about. */
  readonly objective?: string;
  readonly compactions: number;
  readonly lastCompaction?: EvidenceRef;
}

/** A ledger that knows of nothing. */
export const emptyLedger: Ledger = {
  count: 0,
  entries: emptyTrie,
  seqs: emptyTrie,
  open: undefined,
  inFlight: emptyTrie,
  compactions: 0,
};

export function entryAt(ledger: Ledger, seq: number): RequestEntry | undefined {
  return trieGet(ledger.entries, seq);
}

/** The entry of a request by its id. */
export function entryOf(ledger: Ledger, id: string): RequestEntry | undefined {
  for (const seq of trieGet(ledger.seqs, hashText(id)) ?? []) {
    const entry = entryAt(ledger, seq);
    if (entry?.id === id) return entry;
  }
  return undefined;
}

/** Every entry in the order of acceptance. */
export function entriesOf(ledger: Ledger): RequestEntry[] {
  const entries: RequestEntry[] = new Array(ledger.count);
  trieEach(ledger.entries, (entry) => {
    entries[entry.seq] = entry;
  });
  return entries;
}

/** What the user waits for now, oldest first. */
export function inFlightOf(ledger: Ledger): RequestEntry[] {
  const seqs: number[] = [];
  trieEach(ledger.inFlight, (seq) => seqs.push(seq));
  return seqs.sort((a, b) => a - b).flatMap((seq) => entryAt(ledger, seq) ?? []);
}

/** Puts an entry in its place and keeps what is in flight true. */
export function withEntry(ledger: Ledger, entry: RequestEntry): Ledger {
  const { seq } = entry;
  const entries = trieSet(ledger.entries, seq, entry);
  if ((trieGet(ledger.inFlight, seq) !== undefined) === entry.inFlight) return { ...ledger, entries };
  const inFlight = entry.inFlight ? trieSet(ledger.inFlight, seq, seq) : (trieDelete(ledger.inFlight, seq) ?? emptyTrie);
  return { ...ledger, entries, inFlight };
}
