import { NativeCompactionError } from '@native-compaction/core';
import { z } from 'zod';
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
import { hashText, trieGet, trieSet } from './trie.ts';

const count = z.number().int().nonnegative();
const evidence = z.strictObject({ source: z.string(), position: count, kind: z.string() });

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
    outcome: z.enum(['completed', 'failed', 'aborted', 'unconfirmed']).exactOptional(),
    evidence: z.array(evidence),
  })
  .refine(({ inFlight, state, outcome }) => !inFlight || (state === 'open' && outcome === undefined), 'in flight is open')
  .refine(({ state, outcome }) => state !== 'open' || (outcome !== 'completed' && outcome !== 'aborted'), 'open has no such end')
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
  .refine((value) => hasKnownNames(value), 'names are known');
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
      `The ledger cannot be read (${at}: ${issue?.message}). Start an empty one.`,
    );
  }
  const { entries, objective, compactions, lastCompaction } = parsed.data;
  let { entries: bySeq, seqs } = emptyLedger;
  let open: OpenList | undefined;
  for (const item of entries) {
    bySeq = trieSet(bySeq, item.seq, item);
    const key = hashText(item.id);
    seqs = trieSet(seqs, key, [...(trieGet(seqs, key) ?? []), item.seq]);
    if (item.state === 'open') open = { seq: item.seq, next: open };
  }
  return {
    count: entries.length,
    entries: bySeq,
    seqs,
    open,
    inFlight: entries.filter(({ inFlight }) => inFlight).map(({ seq }) => seq),
    ...(objective === undefined ? {} : { objective }),
    compactions,
    ...(lastCompaction ? { lastCompaction } : {}),
  };
}

interface Named {
  readonly entries: readonly { readonly id: string; readonly refines?: string; readonly supersededBy?: string }[];
  readonly objective?: string;
}

function hasKnownNames({ entries, objective }: Named): boolean {
  const known = new Set<string | undefined>([undefined, ...entries.map(({ id }) => id)]);
  return known.has(objective) && entries.every(({ refines, supersededBy }) => known.has(refines) && known.has(supersededBy));
}
