export { claudeMachine } from './machine.ts';
export { type ClaudeOpenOptions, type ClaudeRuntimeOptions, testedVersions } from './options.ts';
export { claudeManualCompaction, createClaudeRuntime } from './runtime.ts';
export { claudeSessions } from './sessions.ts';
