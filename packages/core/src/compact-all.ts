import PQueue from 'p-queue';
import { z } from 'zod';
import type { CompactOptions } from './compact-options.ts';
import type { CompactionResult } from './compact-result.ts';
import { parseOptions } from './parse-options.ts';
import type { SessionRecord } from './record.ts';
import type { Session } from './session.ts';

/** How `compactAll` goes about it. */
export interface CompactAllSettings {
  /** How many sessions compact at a time (default 4). */
  readonly concurrency?: number | undefined;
  /** Called with the records that tell of each session's compaction while it is awaited; `record.log` is the session's `id`. */
  readonly onRecord?: ((record: SessionRecord) => void) | undefined;
}

const sessionsSchema = z
  .array(z.custom<Session>((value) => typeof (value as Session | null)?.compact === 'function', 'must be a session'))
  .readonly();
const settingsSchema = z.strictObject({
  concurrency: z.number().int().min(1).optional(),
  onRecord: z
    .custom<NonNullable<CompactAllSettings['onRecord']>>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/**
 * Compacts many sessions, at most `concurrency` at a time, and gives one result per session in their order.
 * One session's misuse error is its own: it stands in the place of its result. The signal stops waiting, for all; it ends no
 * process, and sessions whose turn has not come are then `rejected/aborted`.
 */
export async function compactAll(
  sessions: readonly Session[],
  options: Omit<CompactOptions, 'requestId'> = {},
  settings: CompactAllSettings = {},
): Promise<readonly PromiseSettledResult<CompactionResult>[]> {
  parseOptions(sessionsSchema, sessions, 'compactAll()');
  const { concurrency = 4, onRecord } = parseOptions(settingsSchema, settings, 'compactAll()');
  const queue = new PQueue({ concurrency });
  const compactOne = async (session: Session) => {
    using _listener = onRecord && session.on('record', (record) => record.type.startsWith('compaction_') && onRecord(record));
    return await session.compact(options);
  };
  return Promise.allSettled(sessions.map((session) => queue.add(() => compactOne(session))));
}
