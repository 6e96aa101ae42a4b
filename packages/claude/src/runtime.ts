import {
  type Checkpoint,
  createRedactor,
  createRegistry,
  type ManualCompaction,
  openSession,
  type Runtime,
  type Session,
  toResume,
} from '@native-compaction/core';
import { childEnvironment, connectJsonLines } from '@native-compaction/transport';
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
} from './options.ts';
import { present } from './present.ts';

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
  const { executable = 'claude', env, args = [], readTimeoutMs, retain, tap } = parseRuntimeOptions(options);
  const registry = createRegistry();

  const connect = async (open: ClaudeOpenOptions, checkpoint: Checkpoint | undefined, signal: AbortSignal): Promise<Session> => {
    const environment = childEnvironment(env);
    const redactor = createRedactor(environment);
    const launch = toLaunch(open, args, crypto.randomUUID());
    const cwd = open.cwd ?? process.cwd();
    const wire = await connectJsonLines({ executable, args: launch.args, cwd, env: environment, redactor, tap, present });
    const { compactionContext } = open;
    const nativeId = launch.nativeId === undefined ? {} : { nativeId: launch.nativeId };
    return openSession({
      runtime: 'claude',
      machine: claudeMachine,
      facts: { ...nativeId, prompt: open.prompt ?? {}, testedVersions, hasCompactionContext: compactionContext !== undefined },
      wire: compactionContext ? withCompactionContext(wire, compactionContext) : wire,
      redactor,
      manualCompaction: claudeManualCompaction,
      promptChange: (version) => promptChangeOf(version, args),
      present,
      signal,
      reservedCommand,
      permissions: open.permissions,
      isResume: open.resume !== undefined,
      checkpoint,
      readTimeoutMs,
      retain,
    });
  };

  return {
    id: 'claude',
    manualCompaction: claudeManualCompaction,
    async open(raw = {}) {
      const { resume, checkpoint } = toResume(parseOpenOptions(raw), 'claude');
      const open = parseOpenOptions(resume === undefined ? raw : { ...raw, resume });
      // A fork gets a session of its own, so it may start from one that is open.
      return registry.open(isFork(args) ? undefined : resume, (signal) => connect(open, checkpoint, signal));
    },
    close: registry.close,
  };
}
