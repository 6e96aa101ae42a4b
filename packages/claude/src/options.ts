import {
  type OpenOptions,
  openOptionsShape,
  type PromptChange,
  parseOptions,
  type RuntimeOptions,
  runtimeOptionsShape,
} from '@native-compaction/core';
import type { Tap } from '@native-compaction/transport';
import { z } from 'zod';

/** The Claude Code versions every promise was shown on, against the real binaries (Linux x64). */
export const testedVersions = ['2.1.316', '2.1.332'] as const;

/** Options of `createClaudeRuntime`. */
export interface ClaudeRuntimeOptions extends RuntimeOptions {
  /** Receives what passes the wire, redacted; see `createCaptureFile`. */
  readonly tap?: Tap | undefined;
}

/** Options of `open()`. */
export interface ClaudeOpenOptions extends OpenOptions {
  /**
   * Text for the first provider request after a compaction, whoever asked for it. Called when the CLI asks for it, at once and with
   * no promise; a throw, or nothing, adds nothing; a child agent's compaction does not call it. It registers a `SessionStart` hook of
   * the protocol's own.
   */
  readonly compactionContext?: (() => string | undefined) | undefined;
}

const runtimeSchema = z.strictObject({
  ...runtimeOptionsShape,
  tap: z.custom<Tap>((value) => typeof value === 'function', 'must be a function').optional(),
});
const openSchema = z.strictObject({
  ...openOptionsShape,
  compactionContext: z.custom<() => string | undefined>((value) => typeof value === 'function', 'must be a function').optional(),
  resume: z.guid('must be a Claude session id (a UUID); a title is not taken').optional(),
});

export function parseRuntimeOptions(options: unknown): ClaudeRuntimeOptions {
  return parseOptions(runtimeSchema, options, 'createClaudeRuntime()');
}

export function parseOpenOptions(options: unknown): ClaudeOpenOptions {
  return parseOptions(openSchema, options, 'open()');
}

/** What `open()` starts: the arguments, and the session id where it is known beforehand. */
export interface Launch {
  readonly args: readonly string[];
  readonly nativeId?: string;
}

const identityFlags = ['--session-id', '--resume', '-r', '--continue', '-c', '--fork-session', '--from-pr'];
const promptFlags = [
  '--system-prompt',
  '--append-system-prompt',
  '--system-prompt-file',
  '--append-system-prompt-file',
  '--system-prompt-snapshot',
  '--bare',
  '--agent',
  '--settings',
];

/** Values travel as `--flag=value`, so that none of them becomes an option of its own (E4). */
export function toLaunch(options: ClaudeOpenOptions, passthrough: readonly string[], newId: string): Launch {
  const namesSession = hasFlag(passthrough, identityFlags);
  const nativeId = isFork(passthrough) ? undefined : (options.resume ?? (namesSession ? undefined : newId));
  const session = options.resume ? [`--resume=${options.resume}`] : nativeId ? [`--session-id=${nativeId}`] : [];
  return {
    args: [
      '-p',
      '--input-format=stream-json',
      '--output-format=stream-json',
      '--verbose',
      '--permission-prompt-tool=stdio',
      ...session,
      ...(options.model === undefined ? [] : [`--model=${options.model}`]),
      ...(options.deltas ? ['--include-partial-messages'] : []),
      ...passthrough,
    ],
    ...(nativeId === undefined ? {} : { nativeId }),
  };
}

/** Variables that do what `--bare` and `--system-prompt-snapshot=off` do (2.1.316, 2.1.332). */
const promptVariables = ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_HOST_PROMPT_SUPERSEDES_RECORD'];

/** True when the passthrough arguments or a variable touch the prompt. */
export function touchesPrompt(passthrough: readonly string[], env: Readonly<Record<string, string>>): boolean {
  return hasFlag(passthrough, promptFlags) || promptVariables.some((name) => env[name]);
}

/** When a changed prompt takes effect in this session; a version that was not tested, or a prompt that is touched, make it unknown. */
export function promptChangeOf(version: string | undefined, isTouched: boolean): PromptChange {
  const isKnown = version !== undefined && (testedVersions as readonly string[]).includes(version) && !isTouched;
  return isKnown ? { system: 'at-next-compaction', append: 'at-next-compaction' } : { system: 'unknown', append: 'unknown' };
}

/** True when the passthrough arguments make a resumed session a new one. */
export function isFork(args: readonly string[]): boolean {
  return hasFlag(args, ['--fork-session']);
}

function hasFlag(args: readonly string[], flags: readonly string[]): boolean {
  return args.some((arg) => flags.includes(arg.split('=', 1)[0] ?? arg));
}
