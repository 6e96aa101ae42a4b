import PQueue from 'p-queue';
import type { CompactOptions } from './compact-options.ts';
import type { CompactionResult } from './compact-result.ts';
import type { Session } from './session.ts';

/**
 * Compacts many sessions, at most `concurrency` at a time, and gives one result per session in their order.
 * One session's misuse error is its own: it stands in the place of its result. The signal stops waiting, for all.
 */
export async function compactAll(
  sessions: readonly Session[],
  options: Omit<CompactOptions, 'requestId'> = {},
  { concurrency = 4 }: { readonly concurrency?: number } = {},
): Promise<readonly PromiseSettledResult<CompactionResult>[]> {
  const queue = new PQueue({ concurrency });
  return Promise.allSettled(sessions.map((session) => queue.add(() => session.compact(options))));
}
