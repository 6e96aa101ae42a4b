import type { TranscriptMessage } from './messages.ts';

/** Why a transcript cannot be projected or committed. `index` is the message it is about. */
export interface CanonicalError {
  readonly code: 'invalid_owner' | 'malformed' | 'unsupported_version' | 'nothing_committable' | 'prefix_mutated';
  readonly index?: number;
}

/** A projection, or the reason why there is none: never a shorter one instead. */
export type Canonical<M = TranscriptMessage> =
  | { readonly ok: true; readonly messages: readonly M[] }
  | { readonly ok: false; readonly error: CanonicalError };
