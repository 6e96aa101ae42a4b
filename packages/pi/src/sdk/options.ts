import {
  NativeCompactionError,
  type OpenOptions,
  openOptionsShape,
  parseOptions,
  type Retain,
  runtimeOptionsShape,
} from '@native-compaction/core';
import type { Tap } from '@native-compaction/transport';
import { z } from 'zod';
import { openSchema } from '../options.ts';
import type { PiAgentSession, PiSdk } from './native.ts';

/** Options of `createPiSdkRuntime`. */
export interface PiSdkRuntimeOptions {
  /** The host's own import of Pi, or a function that imports it. `attach()` needs it only to know the version. */
  readonly sdk?: PiSdk | (() => Promise<PiSdk>) | undefined;
  /** Passthrough for Pi's `createAgentSession`, such as `modelRuntime`, `agentDir`, `tools`; asked for each session. */
  readonly sessionOptions?: (() => object | Promise<object>) | undefined;
  /** Where sessions are kept; Pi's own place when absent. */
  readonly sessionDir?: string | undefined;
  readonly readTimeoutMs?: number | undefined;
  readonly retain?: Retain | undefined;
  readonly tap?: Tap | undefined;
}

/** What `open()` takes; `model` is `provider/id`. */
export type PiSdkOpenOptions = OpenOptions;

/** What `attach()` takes. */
export interface PiAttachOptions {
  readonly deltas?: boolean | undefined;
  /** A checkpoint of the same native session. */
  readonly checkpoint?: unknown;
}

const isFunction = (value: unknown) => typeof value === 'function';
const runtimeSchema = z.strictObject({
  sdk: z
    .custom<NonNullable<PiSdkRuntimeOptions['sdk']>>(
      (value) => isFunction(value) || isFunction((value as PiSdk | null)?.createAgentSession),
      'must be the module @earendil-works/pi-coding-agent, or a function that imports it',
    )
    .optional(),
  sessionOptions: z.custom<() => object>(isFunction, 'must be a function').optional(),
  sessionDir: openOptionsShape.cwd,
  readTimeoutMs: runtimeOptionsShape.readTimeoutMs,
  retain: runtimeOptionsShape.retain,
  tap: z.custom<Tap>(isFunction, 'must be a function').optional(),
});
const attachSchema = z.strictObject({ deltas: openOptionsShape.deltas, checkpoint: openOptionsShape.checkpoint });

export function parseRuntimeOptions(options: unknown): PiSdkRuntimeOptions {
  return parseOptions(runtimeSchema, options, 'createPiSdkRuntime()');
}

export function parseOpenOptions(options: unknown): PiSdkOpenOptions {
  return parseOptions(openSchema, options, 'open()');
}

export function parseAttachOptions(options: unknown): PiAttachOptions {
  return parseOptions(attachSchema, options, 'attach()');
}

const calls = ['subscribe', 'prompt', 'compact', 'abort', 'abortCompaction', 'dispose'] as const;

/** The session to attach to; throws `invalid_options` for what is none. */
export function checkNative(native: unknown): PiAgentSession {
  const session = native as PiAgentSession | null | undefined;
  const isSession =
    typeof session === 'object' &&
    typeof session?.sessionId === 'string' &&
    typeof session.sessionManager?.getLeafId === 'function' &&
    calls.every((name) => isFunction(session[name]));
  if (isSession && isDisposed(session)) {
    throw new NativeCompactionError('invalid_options', 'attach(): this session was disposed. Pi would run it without telling.');
  }
  if (isSession) return session;
  throw new NativeCompactionError('invalid_options', "attach(): give an AgentSession of Pi's createAgentSession().");
}

/** Pi marks a disposed session only for its extensions: their context throws (1.4.0 to 1.6.0). */
function isDisposed({ extensionRunner }: PiAgentSession): boolean {
  try {
    void extensionRunner?.createContext().cwd;
    return false;
  } catch {
    return true;
  }
}
