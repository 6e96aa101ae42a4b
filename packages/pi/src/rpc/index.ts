export type { PiRpcOpenOptions, PiRpcRuntimeOptions } from './options.ts';
export { createPiRpcRuntime } from './runtime.ts';
export { piSessions } from './sessions.ts';
