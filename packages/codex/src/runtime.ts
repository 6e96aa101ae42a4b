import { createRedactor, createRuntime, type ManualCompaction, openSession, type Runtime } from '@native-compaction/core';
import { childEnvironment, connectJsonLines, optional } from '@native-compaction/transport';
import { codexMachine } from './machine.ts';
import {
  type CodexOpenOptions,
  type CodexRuntimeOptions,
  parseOpenOptions,
  parseRuntimeOptions,
  promptChangeOf,
  testedVersions,
} from './options.ts';
import { reconcileCodex } from './reconcile.ts';

/** What Codex promises about a compaction asked for by hand. */
export const codexManualCompaction: ManualCompaction = {
  instructions: 'configuration',
  promptChange: { system: 'at-resume', append: 'at-next-compaction' },
  cancellation: 'native',
  anchorRoute: 'none',
  testedVersions,
};

/**
 * The runtime for Codex: one `codex app-server` process per session, over stdio. Needs the CLI; reads no credential store of its
 * own. Throws `invalid_options`.
 */
export function createCodexRuntime(options: CodexRuntimeOptions = {}): Runtime<CodexOpenOptions> {
  const parsed = parseRuntimeOptions(options);
  const { executable = 'codex', env, args = [], config, experimentalApi = false, tap } = parsed;
  return createRuntime({
    id: 'codex',
    manualCompaction: codexManualCompaction,
    options: parsed,
    parseOpenOptions,
    reconcile: (operation) => reconcileCodex(childEnvironment(env), operation),
    async connect(open, common) {
      const environment = childEnvironment(env);
      const redactor = createRedactor(environment);
      const cwd = open.cwd ?? process.cwd();
      const wire = await connectJsonLines({ executable, args: ['app-server', ...args], cwd, env: environment, redactor, tap });
      const named = { ...optional('threadId', open.resume), ...optional('model', open.model), ...optional('config', config) };
      return openSession({
        ...common,
        runtime: 'codex',
        machine: codexMachine,
        facts: { thread: { cwd, prompt: open.prompt ?? {}, ...named }, experimentalApi, testedVersions },
        wire,
        redactor,
        manualCompaction: codexManualCompaction,
        promptChange: (version) => promptChangeOf(version, parsed, open),
      });
    },
  });
}
