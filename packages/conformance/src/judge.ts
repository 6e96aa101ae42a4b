import type { CompactionResult, Session } from '@native-compaction/core';
import type { Trial } from './trial.ts';

/** What really happened, by those who cannot be mistaken: the provider and the vendor's own file. */
export interface Truth {
  /** Requests for a summary. */
  readonly asked: number;
  readonly replacements: number;
}

export function truthOf(trial: Trial, session: Session): Truth {
  return { asked: trial.summaries(), replacements: trial.replacements(session) };
}

/** Why a result is false, if it is. `after` is taken when the vendor has written everything down. */
export function falsehoodOf(result: CompactionResult, before: Truth, after: Truth): string | undefined {
  const replaced = after.replacements - before.replacements;
  const what =
    result.status === 'rejected' || result.status === 'unconfirmed' ? `${result.status}/${result.reason}` : result.status;
  if (result.status === 'completed' && after.asked === before.asked) return 'completed, and the provider was never asked';
  if (result.context === 'compacted' && replaced === 0) return `${what}, and nothing was replaced on disk`;
  if (result.context === 'unchanged' && replaced > 0)
    return `${what} with an unchanged context, and ${replaced} replaced on disk`;
  return undefined;
}
