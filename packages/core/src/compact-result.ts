import { z } from 'zod';

/** Why nothing of ours was started (contract 2); the first that applies, in this order, is told. */
export const rejectReasons = [
  'aborted',
  'closed',
  'unsupported',
  'not_ready',
  'busy_compaction',
  'busy_turn',
  'queued_input',
  'goal_active',
  'not_builtin',
  'native_refused',
] as const;
export type RejectReason = (typeof rejectReasons)[number];

/** Why an operation that was dispatched has no native end that is ours. */
export const unconfirmedReasons = [
  'timeout',
  'signal',
  'disposed',
  'process_exit',
  'transport_lost',
  'ambiguous',
  'no_evidence',
] as const;
export type UnconfirmedReason = (typeof unconfirmedReasons)[number];

/** A convenience read from version-pinned native text. It never decides a status; its absence is normal. */
export const failureHints = ['nothing_to_compact', 'blocked_by_hook', 'provider_error', 'context_limit'] as const;
export type FailureHint = (typeof failureHints)[number];

/** A reference to one native frame of the session (`session.frame(frame)`) and what it shows. */
const evidenceSchema = z.object({
  frame: z.number().int().positive(),
  kind: z.string(),
  ids: z.record(z.string(), z.string()),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Context sizes as the vendor reports them, in tokens. `estimated` is true where the vendor does not say they were measured. */
export const tokensSchema = z.object({
  before: z.number().optional(),
  after: z.number().optional(),
  estimated: z.boolean(),
});
export type TokenCounts = z.infer<typeof tokensSchema>;

const envelope = {
  requestId: z.string(),
  sessionId: z.string(),
  runtime: z.string(),
  vendorVersion: z.string().optional(),
  dispatchedAtMs: z.number().optional(),
  settledAtMs: z.number().optional(),
};
const evidenceList = z.array(evidenceSchema).readonly();
const proof = z.tuple([evidenceSchema], evidenceSchema).readonly();

/** The one typed answer of `compact()`: a union on `status`. */
export const compactionResultSchema = z.discriminatedUnion('status', [
  z.object({
    ...envelope,
    status: z.literal('completed'),
    context: z.literal('compacted'),
    evidence: proof,
    tokens: tokensSchema.optional(),
    durationMs: z.number().optional(),
    summary: z.string().optional(),
  }),
  z.object({
    ...envelope,
    status: z.literal('rejected'),
    context: z.literal('unchanged'),
    evidence: evidenceList,
    reason: z.enum(rejectReasons),
    message: z.string().optional(),
  }),
  z.object({
    ...envelope,
    status: z.literal('failed'),
    context: z.enum(['unchanged', 'unknown']),
    evidence: proof,
    reason: z.literal('native_failed'),
    hint: z.enum(failureHints).optional(),
    message: z.string().optional(),
  }),
  z.object({
    ...envelope,
    status: z.literal('aborted'),
    context: z.enum(['unchanged', 'compacted', 'unknown']),
    evidence: proof,
    by: z.enum(['caller', 'native']),
    message: z.string().optional(),
  }),
  z.object({
    ...envelope,
    status: z.literal('unconfirmed'),
    context: z.literal('unknown'),
    evidence: evidenceList,
    reason: z.enum(unconfirmedReasons),
    started: z.boolean(),
  }),
]);
export type CompactionResult = z.infer<typeof compactionResultSchema>;
export type CompactionStatus = CompactionResult['status'];

/** The part of a result that the native side (or its silence) decides, before the envelope is put around it. */
type WithoutEnvelope<T> = T extends unknown ? Omit<T, keyof typeof envelope> : never;
export type Outcome = WithoutEnvelope<CompactionResult>;
