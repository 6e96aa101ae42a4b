import { z } from 'zod';
import type { PermissionCallback } from './permissions.ts';
import type { Retain } from './runtime.ts';

/** The prompt parts a session is opened with. They always travel as text, never as options or file names (E4). */
export interface PromptOptions {
  /** Replaces the vendor's own system prompt (Codex: base instructions). */
  readonly system?: string | undefined;
  /** Is added to it (Codex: developer instructions). */
  readonly append?: string | undefined;
}

/** What every runtime's `open()` takes. */
export interface OpenOptions {
  /** The session's working folder; the process's own when absent. */
  readonly cwd?: string | undefined;
  /** The vendor's id of a session to resume; absent opens a new one. */
  readonly resume?: string | undefined;
  /** A checkpoint of the same runtime: resumes its native session. `resume` may only name the same one. */
  readonly checkpoint?: unknown;
  readonly prompt?: PromptOptions | undefined;
  readonly model?: string | undefined;
  readonly permissions?: PermissionCallback | undefined;
  /** True adds `assistant_delta` records while text is being written. */
  readonly deltas?: boolean | undefined;
}

/** Text that every vendor gets as it was given: a half of a surrogate pair is lost on its way, or refused without an answer. */
export const wholeText = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode: it holds a half of a surrogate pair');

/** Text that can be handed to the system: not empty, and without the byte that ends it there. */
const plainText = wholeText.refine((text) => !text.includes('\0'), 'must not hold a NUL character');

/** The zod shape of `OpenOptions`, for backends to build their own schema on. */
export const openOptionsShape = {
  cwd: plainText.optional(),
  resume: plainText.optional(),
  checkpoint: z.unknown().optional(),
  prompt: z.strictObject({ system: wholeText.optional(), append: wholeText.optional() }).optional(),
  model: plainText.optional(),
  permissions: z.custom<PermissionCallback>((value) => typeof value === 'function', 'must be a function').optional(),
  deltas: z.boolean().optional(),
};

/** Options every runtime factory takes. */
export interface RuntimeOptions {
  /** A path, or a name looked up in the child's PATH. */
  readonly executable?: string | undefined;
  /** Laid over the host's environment for the child; `undefined` removes a variable (E1). */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Passthrough arguments for the CLI, after ours. Those that touch the prompt make `promptChange` unknown. */
  readonly args?: readonly string[] | undefined;
  /** How long the opening and a gate read may stay unanswered, in milliseconds (default 30 s). */
  readonly readTimeoutMs?: number | undefined;
  readonly retain?: Retain | undefined;
}

const count = z.number().int().min(1);
const withoutNul = z.string().regex(/^[^\0]*$/, 'must not hold a NUL character');

/** The zod shape of `RuntimeOptions`. */
export const runtimeOptionsShape = {
  executable: plainText.optional(),
  env: z.record(plainText, withoutNul.optional()).optional(),
  args: z.array(withoutNul).readonly().optional(),
  readTimeoutMs: z.number().int().min(1).max(2_147_483_647).optional(),
  retain: z.strictObject({ frames: count.optional(), records: count.optional(), bytes: count.optional() }).optional(),
};
