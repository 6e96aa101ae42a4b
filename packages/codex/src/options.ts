import {
  type OpenOptions,
  openOptionsShape,
  type PromptChange,
  parseOptions,
  type RuntimeOptions,
  runtimeOptionsShape,
} from '@native-compaction/core';
import { type JsonObject, object, type Tap } from '@native-compaction/transport';
import { z } from 'zod';

/** The Codex versions the promises were shown on, against the real binaries (Linux x64). */
export const testedVersions = ['0.166.0', '0.171.0'] as const;

/** Options of `createCodexRuntime`. */
export interface CodexRuntimeOptions extends RuntimeOptions {
  /** Codex configuration for each thread, such as `compact_prompt`: instructions here are configuration, not per request. */
  readonly config?: JsonObject | undefined;
  /** Switches the vendor's experimental methods on; the gate then reads its queue as well. */
  readonly experimentalApi?: boolean | undefined;
  readonly tap?: Tap | undefined;
}

export type CodexOpenOptions = OpenOptions;

const runtimeSchema = z.strictObject({
  ...runtimeOptionsShape,
  config: z.record(z.string(), z.unknown()).optional(),
  experimentalApi: z.boolean().optional(),
  tap: z.custom<Tap>((value) => typeof value === 'function', 'must be a function').optional(),
});
const openSchema = z.strictObject({ ...openOptionsShape, resume: z.guid('must be a Codex thread id (a UUID)').optional() });

export function parseRuntimeOptions(options: unknown): CodexRuntimeOptions {
  return parseOptions(runtimeSchema, options, 'createCodexRuntime()');
}

export function parseOpenOptions(options: unknown): CodexOpenOptions {
  return parseOptions(openSchema, options, 'open()');
}

/**
 * Base instructions change at resume, developer instructions live in the history and change with a compaction. Base instructions
 * that are left out at a resume are not taken away: those come back that the thread began with (0.166.0, 0.171.0).
 */
export function promptChangeOf(
  version: string | undefined,
  { args = [], config = {} }: CodexRuntimeOptions,
  { resume, prompt }: Pick<CodexOpenOptions, 'resume' | 'prompt'> = {},
): PromptChange {
  const given = args.map((word) => word.replace(/^--config=/, '').split('=', 1)[0] ?? '');
  const isTouched = [...given, ...keysOf(config)].some((key) => key.includes('instructions'));
  const isKnown = version !== undefined && (testedVersions as readonly string[]).includes(version) && !isTouched;
  if (!isKnown) return { system: 'unknown', append: 'unknown' };
  const isLeftOut = resume !== undefined && prompt?.system === undefined;
  return { system: isLeftOut ? 'unknown' : 'at-resume', append: 'at-next-compaction' };
}

function keysOf(config: unknown): string[] {
  const table = object(config);
  return table ? Object.entries(table).flatMap(([key, value]) => [key, ...keysOf(value)]) : [];
}
