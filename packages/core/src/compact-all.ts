import PQueue from 'p-queue';
import { z } from 'zod';
import type { CompactOptions } from './compact-options.ts';
import type { CompactionResult } from './compact-result.ts';
import { parseOptions } from './parse-options.ts';
import type { Session } from './session.ts';

const sessionsSchema = z
  .array(z.custom<Session>((value) => typeof (value as Session | null)?.compact === 'function', 'must be a session'))
  .readonly();
const concurrencySchema = z.number().int().min(1);

/**
 * Compacts many sessions, at most `concurrency` at a time, and gives one result per session in their order.
 * One session's misuse error is its own: it stands in the place of its result. The signal stops waiting, for all.
 */
export async function compactAll(
  sessions: readonly Session[],
  options: Omit<CompactOptions, 'requestId'> = {},
  { concurrency = 4 }: { readonly concurrency?: number } = {},
): Promise<readonly PromiseSettledResult<CompactionResult>[]> {
  parseOptions(sessionsSchema, sessions, 'compactAll()');
  parseOptions(concurrencySchema, concurrency, 'compactAll(): concurrency');
  const queue = new PQueue({ concurrency });
  return Promise.allSettled(sessions.map((session) => queue.add(() => session.compact(options))));
}
