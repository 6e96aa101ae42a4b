import type { CompactionResult, Outcome } from './compact-result.ts';
import type { Redactor } from './redact.ts';

/** What every result says beside its outcome. */
export type Envelope = Pick<
  CompactionResult,
  'sessionId' | 'runtime' | 'vendorVersion' | 'requestId' | 'dispatchedAtMs' | 'settledAtMs'
>;

/** The result as its caller gets it: redacted (R9), in its envelope. */
export function toResult(outcome: Outcome, envelope: Envelope, redactor: Redactor): CompactionResult {
  const text = {
    ...('message' in outcome && outcome.message !== undefined ? { message: redactor.message(outcome.message) } : {}),
    ...('summary' in outcome && outcome.summary !== undefined ? { summary: redactor.text(outcome.summary) } : {}),
  };
  return { ...outcome, ...text, ...envelope } as CompactionResult;
}
