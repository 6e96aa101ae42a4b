import type { CompactionResult, PromptChange, WhenInEffect } from '@native-compaction/core';

/** Where a prompt part of a restored session stands: what its next provider request is known to carry. */
export type PromptEffect = 'in-effect' | 'at-next-compaction' | 'unknown';
export interface PromptEffects {
  readonly system: PromptEffect;
  readonly append: PromptEffect;
}

/**
 * What is in effect of the prompt a session was resumed with, by the session's own facts and what its compaction came to.
 * Only `completed` turns `at-next-compaction` into `in-effect`, and nothing turns `unknown` into anything else.
 */
export function promptEffects(change: PromptChange, result?: Pick<CompactionResult, 'status' | 'context'>): PromptEffects {
  return { system: effectOf(change.system, result), append: effectOf(change.append, result) };
}

function effectOf(when: WhenInEffect, result: Pick<CompactionResult, 'status' | 'context'> | undefined): PromptEffect {
  if (when === 'unknown') return 'unknown';
  if (when === 'at-resume' || result?.status === 'completed') return 'in-effect';
  // Cut off behind the replacement, or with no word at all, it may have taken effect or not.
  return result === undefined || result.context === 'unchanged' ? 'at-next-compaction' : 'unknown';
}
