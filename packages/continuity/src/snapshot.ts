import { NativeCompactionError } from '@native-compaction/core';
import { z } from 'zod';
import { evidenceSchema as evidence, outcomes } from './facts.ts';
import {
  emptyLedger,
  entriesOf,
  type Ledger,
  type OpenList,
  type RequestEntry,
  relations,
  requestKinds,
  requestStates,
} from './ledger.ts';
import { count } from './limits.ts';
import { hashText, trieGet, trieSet } from './trie.ts';

const entry = z
  .strictObject({
    id: z.string(),
    seq: count,
    text: z.string(),
    kind: z.enum(requestKinds),
    relation: z.enum(relations).exactOptional(),
    refines: z.string().exactOptional(),
    supersededBy: z.string().exactOptional(),
    state: z.enum(requestStates),
    inFlight: z.boolean(),
    outcome: z.enum(outcomes).exactOptional(),
    evidence: z.array(evidence),
  })
  .refine(({ inFlight, state, outcome }) => !inFlight || (state === 'open' && outcome === undefined), 'in flight is open')
  .refine(({ state, outcome }) => state !== 'open' || (outcome !== 'completed' && outcome !== 'aborted'), 'open has no such end')
  .refine(({ state, outcome }) => state !== 'done' || outcome === 'completed', 'done has completed')
  .refine(
    ({ state, outcome }) => state !== 'abandoned' || outcome === undefined || outcome === 'aborted',
    'abandoned has no such end',
  )
  .refine(({ state, supersededBy }) => (state === 'superseded') === (supersededBy !== undefined), 'superseded by one');

/** What a host persists beside the runtime's own checkpoint. It holds the users' texts. */
export const ledgerSnapshotSchema = z
  .strictObject({
    version: z.literal(1),
    entries: z.array(entry),
    objective: z.string().exactOptional(),
    compactions: count,
    lastCompaction: evidence.exactOptional(),
  })
  .refine(({ entries }) => entries.every(({ seq }, index) => seq === index), 'entries in order')
  .refine(({ entries }) => new Set(entries.map(({ id }) => id)).size === entries.length, 'ids are used once')
  .refine(({ entries, objective }) => (objective === undefined) === (entries.length === 0), 'an objective')
  .refine((value) => hasTrueLinks(value), 'links lead to requests that are typed so');
export type LedgerSnapshot = z.infer<typeof ledgerSnapshotSchema>;

/** The ledger as one JSON value; the same ledger gives the same bytes. */
export function snapshotLedger(ledger: Ledger): LedgerSnapshot {
  return {
    version: 1,
    entries: entriesOf(ledger).map(toSnapshotEntry),
    ...(ledger.objective === undefined ? {} : { objective: ledger.objective }),
    compactions: ledger.compactions,
    ...(ledger.lastCompaction ? { lastCompaction: ledger.lastCompaction } : {}),
  };
}

function toSnapshotEntry(item: RequestEntry): LedgerSnapshot['entries'][number] {
  const { id, seq, text, kind, relation, refines, supersededBy, state, inFlight, outcome } = item;
  return {
    id,
    seq,
    text,
    kind,
    ...(relation === undefined ? {} : { relation }),
    ...(refines === undefined ? {} : { refines }),
    ...(supersededBy === undefined ? {} : { supersededBy }),
    state,
    inFlight,
    ...(outcome === undefined ? {} : { outcome }),
    evidence: item.evidence.map(({ source, position, kind: name }) => ({ source, position, kind: name })),
  };
}

/** Takes a snapshot back; throws `corrupt_checkpoint` and repairs nothing. */
export function restoreLedger(value: unknown): Ledger {
  const parsed = ledgerSnapshotSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.join('.') || 'the whole value';
    throw new NativeCompactionError(
      'corrupt_checkpoint',
      `The ledger cannot be read (${at}: ${issue?.message}). Hand in the parsed value of snapshotLedger(), or start with emptyLedger.`,
    );
  }
  const { entries, objective, compactions, lastCompaction } = parsed.data;
  let { entries: bySeq, seqs, inFlight } = emptyLedger;
  let open: OpenList | undefined;
  for (const item of entries) {
    bySeq = trieSet(bySeq, item.seq, item);
    const key = hashText(item.id);
    seqs = trieSet(seqs, key, [...(trieGet(seqs, key) ?? []), item.seq]);
    if (item.state === 'open') open = { seq: item.seq, next: open };
    if (item.inFlight) inFlight = trieSet(inFlight, item.seq, item.seq);
  }
  return {
    count: entries.length,
    entries: bySeq,
    seqs,
    open,
    inFlight,
    ...(objective === undefined ? {} : { objective }),
    compactions,
    ...(lastCompaction ? { lastCompaction } : {}),
  };
}

type Linked = Pick<RequestEntry, 'id' | 'seq' | 'relation' | 'refines' | 'supersededBy'>;

/** A link leads from a request that is typed so to an earlier one, and names only what is there. */
function hasTrueLinks({ entries, objective }: { readonly entries: readonly Linked[]; readonly objective?: string }): boolean {
  const byId = new Map(entries.map((item) => [item.id, item]));
  const isAnchor = ({ seq, relation }: Linked) => seq === 0 || relation === 'correct' || relation === 'replace';
  const about = objective === undefined ? undefined : byId.get(objective);
  if (objective !== undefined && (!about || !isAnchor(about))) return false;
  return entries.every(({ seq, relation, refines, supersededBy }) => {
    const earlier = refines === undefined ? undefined : byId.get(refines);
    const later = supersededBy === undefined ? undefined : byId.get(supersededBy);
    if (refines !== undefined && (!earlier || earlier.seq >= seq || (relation !== 'refine' && relation !== 'correct')))
      return false;
    return supersededBy === undefined || (later !== undefined && later.seq > seq && later.relation === 'replace');
  });
}
