export type { About } from './about.ts';
export { type Anchor, type AnchoredRequest, type AnchorOptions, anchorFor } from './anchor.ts';
export { applyFact, applyFacts } from './apply-fact.ts';
export { type AuditFinding, type AuditKind, auditRebuilt, type ContextMessage } from './audit.ts';
export { type LedgerFromMessages, ledgerFromMessages } from './bridge.ts';
export type { Canonical, CanonicalError } from './canonical.ts';
export { applyDelta, type CommitDelta, type CommitRequest, type CommitResult, commitDelta, commitDeltaSchema } from './commit.ts';
export { CONTEXT_CHARACTERS, contextFor } from './context.ts';
export type { ContinuityEvent, ContinuityOptions } from './continuity-options.ts';
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
export type { ContentBlock, Delivery, TranscriptMessage } from './messages.ts';
export { type ObjectiveContext, objectiveContext } from './objective.ts';
export {
  type ContinuationAction,
  compactFirst,
  type ObservedCompaction,
  onCompaction,
  type WindowLimits,
} from './on-compaction.ts';
export {
  projectCompleted,
  projectContinuation,
  projectPromptFacing,
  projectResumable,
  projectVisible,
  recoverContinuation,
  type TurnOptions,
} from './projection.ts';
export { type Estimate, type Excerpt, estimateTokens } from './quote.ts';
export {
  authorises,
  beginRewrite,
  createRewriteProof,
  finishRewrite,
  type RewritePermit,
  type RewriteProof,
  rootOf,
} from './rewrite-proof.ts';
export { factsFromRecord } from './session-facts.ts';
export { type LedgerSnapshot, ledgerSnapshotSchema, restoreLedger, snapshotLedger } from './snapshot.ts';
export { compactReactive, compactTiered, compactTranscript, type TieredOptions } from './tiered-compaction.ts';
export { markSemantics, type TurnSemantics, turnSemanticsSchema } from './turn-semantics.ts';
export { type ContinuitySession, withContinuity } from './with-continuity.ts';
