import { parseOptions } from '@native-compaction/core';
import { z } from 'zod';
import type { CanonicalError } from './canonical.ts';
import { type Relation, relations } from './ledger.ts';
import type { TranscriptMessage } from './messages.ts';

const feedbackSchema = z.strictObject({ kind: z.string().min(1), target: z.string().min(1) });

const markSchema = z.strictObject({ relation: z.enum(relations), feedback: feedbackSchema.optional() });

/** What a producer says of a user message. Version 1; a field that is not known is refused, not ignored. */
export const turnSemanticsSchema = z.strictObject({
  schema_version: z.literal(1),
  objective_relation: z.enum(relations).default('unknown'),
  feedback: feedbackSchema.exactOptional(),
});
export type TurnSemantics = z.infer<typeof turnSemanticsSchema>;

/** Absent, read, or corrupt: three things that are never taken for one another. */
export type SemanticsReading =
  | { readonly is: 'absent' }
  | { readonly is: 'read'; readonly semantics: TurnSemantics }
  | { readonly is: 'corrupt'; readonly code: CanonicalError['code'] };

/** Reads the field of one message. It belongs to user messages alone. */
export function readSemantics(message: TranscriptMessage): SemanticsReading {
  const { turn_semantics: field } = message;
  if (field === undefined) return { is: 'absent' };
  if (message.role !== 'user') return { is: 'corrupt', code: 'invalid_owner' };
  const parsed = turnSemanticsSchema.safeParse(field);
  if (parsed.success) return { is: 'read', semantics: parsed.data };
  return { is: 'corrupt', code: hasOtherVersion(field) ? 'unsupported_version' : 'malformed' };
}

/** The relation of a message whose field is sound; undefined where there is none. */
export function relationOf(message: TranscriptMessage): Relation | undefined {
  const reading = readSemantics(message);
  return reading.is === 'read' ? reading.semantics.objective_relation : undefined;
}

/** The message with the field set; undefined where the message is not a user's, which is refused. Throws `invalid_options`. */
export function markSemantics<M extends TranscriptMessage>(
  message: M,
  relation: Relation,
  feedback?: { readonly kind: string; readonly target: string },
): (M & { readonly turn_semantics: TurnSemantics }) | undefined {
  if (message.role !== 'user') return undefined;
  parseOptions(markSchema, { relation, feedback }, 'markSemantics()');
  return { ...message, turn_semantics: { schema_version: 1, objective_relation: relation, ...(feedback ? { feedback } : {}) } };
}

/** The first corrupt field of any message, wherever it stands and whoever owns it. */
export function firstCorrupt(messages: readonly TranscriptMessage[]): CanonicalError | undefined {
  for (const [index, message] of messages.entries()) {
    const reading = readSemantics(message);
    if (reading.is === 'corrupt') return { code: reading.code, index };
  }
  return undefined;
}

function hasOtherVersion(field: unknown): boolean {
  const version =
    typeof field === 'object' && field !== null ? (field as { schema_version?: unknown }).schema_version : undefined;
  return typeof version === 'number' && version !== 1;
}
