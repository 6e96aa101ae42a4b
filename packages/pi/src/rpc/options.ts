import { type OpenOptions, parseOptions, type RuntimeOptions, runtimeOptionsShape } from '@native-compaction/core';
import type { Tap } from '@native-compaction/transport';
import { z } from 'zod';
import { openSchema } from '../options.ts';

/** Options of `createPiRpcRuntime`. A JavaScript file as `executable` is run with this process's own Node. */
export interface PiRpcRuntimeOptions extends RuntimeOptions {
  readonly tap?: Tap | undefined;
}

/** What `open()` takes; `model` is `provider/id`, as Pi's own `--model`. */
export type PiRpcOpenOptions = OpenOptions;

const runtimeSchema = z.strictObject({
  ...runtimeOptionsShape,
  tap: z.custom<Tap>((value) => typeof value === 'function', 'must be a function').optional(),
});

export function parseRuntimeOptions(options: unknown): PiRpcRuntimeOptions {
  return parseOptions(runtimeSchema, options, 'createPiRpcRuntime()');
}

export function parseOpenOptions(options: unknown): PiRpcOpenOptions {
  return parseOptions(openSchema, options, 'open()');
}
