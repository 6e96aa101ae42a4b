export type { PiAgentSession, PiExtensionError, PiPromptOptions, PiSdk } from './native.ts';
export type { PiAttachOptions, PiSdkOpenOptions, PiSdkRuntimeOptions } from './options.ts';
export { createPiSdkRuntime, type PiSdkRuntime } from './runtime.ts';
