export { codexMachine } from './machine.ts';
export { type CodexOpenOptions, type CodexRuntimeOptions, testedVersions } from './options.ts';
export { codexManualCompaction, createCodexRuntime } from './runtime.ts';
export { codexSessions } from './sessions.ts';
