import { z } from 'zod';
import { NativeCompactionError } from './errors.ts';
import { wholeText } from './open-options.ts';
import { parseOptions } from './parse-options.ts';

/** The longest `timeoutMs` a timer of the platform can hold. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

const compactOptionsSchema = z
  .strictObject({
    instructions: wholeText.optional(),
    timeoutMs: z.number().int().min(0).max(MAX_TIMEOUT_MS).optional(),
    signal: z.instanceof(AbortSignal).optional(),
    requestId: z.string().min(1).max(200).optional(),
  })
  .optional();

/** What a caller may ask of one `compact()`. */
export interface CompactOptions {
  /** Text for the native summarizer, on runtimes whose capability says `per-request`. */
  readonly instructions?: string | undefined;
  /** How long to wait after the dispatch, in milliseconds; absent means no deadline, 0 the next turn of the event loop. */
  readonly timeoutMs?: number | undefined;
  /** Before the dispatch it prevents the compaction; after it, it stops only the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** The caller's own name for this request, used once per log; made up when absent. */
  readonly requestId?: string | undefined;
}

/** Checks options of `compact()` (R1). Throws `invalid_options` that names the field. */
export function parseCompactOptions(options: unknown): CompactOptions {
  return parseOptions(compactOptionsSchema, options, 'compact()') ?? {};
}

/** Checks what depends on the session: an id is used once in a log, and instructions only where the runtime takes them. */
export function checkUse(options: CompactOptions, used: Pick<ReadonlySet<string>, 'has'>, takesInstructions: boolean): void {
  if (options.requestId !== undefined && used.has(options.requestId)) {
    const message = `compact(): requestId "${options.requestId}" was used before in this session. Give each request its own.`;
    throw new NativeCompactionError('request_id_reused', message);
  }
  if (options.instructions === undefined || takesInstructions) return;
  const message =
    'compact(): this runtime takes no instructions per request. Where manualCompaction.instructions says "configuration", set them there: createCodexRuntime({ config: { compact_prompt } }).';
  throw new NativeCompactionError('invalid_options', message);
}
