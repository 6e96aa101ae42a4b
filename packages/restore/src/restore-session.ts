import {
  type CompactionResult,
  type CompactOptions,
  type OpenOptions,
  type PromptChange,
  type PromptOptions,
  parseCompactOptions,
  parseOptions,
  type Runtime,
  type Session,
} from '@native-compaction/core';
import { z } from 'zod';
import { type PromptEffects, promptEffects } from './prompt-effects.ts';

/** What `restoreSession` takes beside the open options of the runtime. */
export interface RestoreOptions extends CompactOptions {
  /** `when-needed` compacts where a given prompt part waits for a compaction by the session's declared facts. */
  readonly compact: 'when-needed' | 'always' | 'never';
}

/** A restored session: nothing was sent, and the host decides before its first `send()`. */
export interface Restored {
  readonly session: Session;
  /** The result of the compaction, if one was asked for. */
  readonly compaction?: CompactionResult;
  /** Of each prompt part, given or left out, whether the next request carries it. */
  readonly prompt: PromptEffects;
}

const runtimeSchema = z.custom(
  (value) => typeof (value as { open?: unknown } | null)?.open === 'function',
  'the first argument must be a runtime',
);
const restoreSchema = z.object({ compact: z.enum(['when-needed', 'always', 'never']) });
const existingSchema = z
  .object({ resume: z.string().optional(), checkpoint: z.unknown().optional() })
  .refine(({ resume, checkpoint }) => resume !== undefined || checkpoint !== undefined, 'give resume or checkpoint');

/**
 * Resumes a session with other prompts, compacts it where that is wanted, and says of each prompt part whether it is in effect.
 * Resolves once the compaction has settled or its wait has ended. Rejects as `open()` and `compact()` do, and leaves no process then.
 */
export async function restoreSession<O extends OpenOptions>(
  runtime: Pick<Runtime<O>, 'open'>,
  options: O & RestoreOptions,
): Promise<Restored> {
  parseOptions(runtimeSchema, runtime, 'restoreSession()');
  const { compact } = parseOptions(restoreSchema, options, 'restoreSession()');
  parseOptions(existingSchema, options, 'restoreSession()');
  const { compact: _when, instructions, timeoutMs, signal, requestId, ...open } = options;
  parseCompactOptions({ instructions, timeoutMs, signal, requestId });
  const session = await runtime.open(open as unknown as O);
  const isWanted = compact === 'always' || (compact === 'when-needed' && isNeeded(session.promptChange, options.prompt ?? {}));
  try {
    const compaction = isWanted ? await session.compact({ instructions, timeoutMs, signal, requestId }) : undefined;
    return { session, ...(compaction ? { compaction } : {}), prompt: promptEffects(session.promptChange, compaction) };
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

function isNeeded(change: PromptChange, { system, append }: PromptOptions): boolean {
  return (
    (system !== undefined && change.system === 'at-next-compaction') ||
    (append !== undefined && change.append === 'at-next-compaction')
  );
}
