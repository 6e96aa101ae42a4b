import { createRedactor, createRuntime, type ManualCompaction, openSession, type Runtime } from '@native-compaction/core';
import { childEnvironment, connectJsonLines, optional, toNative } from '@native-compaction/transport';
import { reservedCommand } from './commands.ts';
import { withCompactionContext } from './compaction-context.ts';
import { claudeMachine } from './machine.ts';
import {
  type ClaudeOpenOptions,
  type ClaudeRuntimeOptions,
  isFork,
  parseOpenOptions,
  parseRuntimeOptions,
  promptChangeOf,
  testedVersions,
  toLaunch,
  touchesPrompt,
} from './options.ts';
import { template } from './pieces.ts';
import { present } from './present.ts';
import { reconcileClaude } from './reconcile.ts';

/** What Claude Code promises about a compaction asked for by hand. */
export const claudeManualCompaction: ManualCompaction = {
  instructions: 'per-request',
  promptChange: { system: 'at-next-compaction', append: 'at-next-compaction' },
  cancellation: 'native',
  anchorRoute: 'compaction-hook',
  testedVersions,
};

/**
 * The runtime for Claude Code's stream-json surface: one `claude -p` process per session. Needs the CLI; reads no credential
 * store of its own. Throws `invalid_options`.
 */
export function createClaudeRuntime(options: ClaudeRuntimeOptions = {}): Runtime<ClaudeOpenOptions> {
  const parsed = parseRuntimeOptions(options);
  const { executable = 'claude', env, args = [], tap } = parsed;
  return createRuntime({
    id: 'claude',
    manualCompaction: claudeManualCompaction,
    options: parsed,
    parseOpenOptions,
    isFork: isFork(args),
    reconcile: (operation) => reconcileClaude(childEnvironment(env), operation),
    async connect(open, common) {
      const environment = childEnvironment(env);
      const redactor = createRedactor(environment);
      const launch = toLaunch(open, args, crypto.randomUUID().toLowerCase());
      const cwd = open.cwd ?? process.cwd();
      const wire = await connectJsonLines({
        executable,
        args: launch.args,
        cwd,
        env: environment,
        redactor,
        tap,
        present,
        template,
      });
      const { prompt = {}, compactionContext } = open;
      const isTouched = touchesPrompt(args, environment);
      const hasCompactionContext = compactionContext !== undefined;
      return openSession({
        ...common,
        runtime: 'claude',
        machine: claudeMachine,
        facts: { ...optional('nativeId', launch.nativeId), prompt, testedVersions, hasCompactionContext },
        wire: compactionContext ? withCompactionContext(wire, compactionContext) : wire,
        redactor,
        manualCompaction: claudeManualCompaction,
        promptChange: (version) => promptChangeOf(version, isTouched),
        present,
        toNative,
        reservedCommand,
      });
    },
  });
}
