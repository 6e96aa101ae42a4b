export { type Anchor, type AnchoredRequest, type AnchorOptions, anchorFor } from './anchor.ts';
export { applyFact, applyFacts } from './apply-fact.ts';
export { type AuditFinding, type AuditKind, auditRebuilt, type ContextMessage } from './audit.ts';
export type { LedgerFact } from './facts.ts';
export { buildHandoff, type Handoff, type HandoffBudget } from './handoff.ts';
export { compactInstructions, type InstructionOptions } from './instructions.ts';
export type { KeptRequest } from './kept.ts';
export { initialKimiReader, type KimiReader, readKimiEvent } from './kimi-facts.ts';
export {
  type EvidenceRef,
  emptyLedger,
  entriesOf,
  entryOf,
  inFlightOf,
  type Ledger,
  type Relation,
  type RequestEntry,
  type RequestKind,
  type RequestState,
  relations,
} from './ledger.ts';
export type { AccountLine } from './lines.ts';
export {
  type AnchorRoute,
  type ContinuationAction,
  compactFirst,
  type ObservedCompaction,
  onCompaction,
  type WindowLimits,
} from './on-compaction.ts';
export { type Estimate, type Excerpt, estimateTokens } from './quote.ts';
export { factsFromRecord } from './session-facts.ts';
export { type LedgerSnapshot, ledgerSnapshotSchema, restoreLedger, snapshotLedger } from './snapshot.ts';
