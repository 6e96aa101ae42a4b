export { type PromptEffect, type PromptEffects, promptEffects } from './prompt-effects.ts';
export { type Restored, type RestoreOptions, restoreSession } from './restore-session.ts';
