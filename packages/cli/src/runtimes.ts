import { claudeManualCompaction, claudeSessions, createClaudeRuntime } from '@native-compaction/claude';
import { codexManualCompaction, codexSessions, createCodexRuntime } from '@native-compaction/codex';
import type { ManualCompaction, OpenOptions, Runtime, RuntimeOptions } from '@native-compaction/core';
import { piManualCompaction } from '@native-compaction/pi';
import { createPiRpcRuntime, piSessions } from '@native-compaction/pi/rpc';
import type { StoredSession, Tap } from '@native-compaction/transport';

/** What the commands set on a runtime. `summaryPrompt` is for those that take instructions as configuration. */
interface CreateOptions extends RuntimeOptions {
  readonly tap?: Tap | undefined;
  readonly summaryPrompt?: string | undefined;
}

/** One runtime as the command line knows it. */
export interface KnownRuntime {
  readonly title: string;
  /** The name its CLI has in PATH. */
  readonly executable: string;
  /** The npm package that brings the CLI. */
  readonly npmPackage: string;
  readonly capability: ManualCompaction;
  create(options: CreateOptions): Runtime<OpenOptions>;
  /** The sessions in the vendor's own store, newest first. */
  sessions(): Iterable<StoredSession>;
}

export const runtimes = {
  claude: {
    title: 'Claude Code',
    executable: 'claude',
    npmPackage: '@anthropic-ai/claude-code',
    capability: claudeManualCompaction,
    create: ({ summaryPrompt: _none, ...options }) => createClaudeRuntime(options),
    sessions: () => claudeSessions(),
  },
  codex: {
    title: 'Codex',
    executable: 'codex',
    npmPackage: '@openai/codex',
    capability: codexManualCompaction,
    create: ({ summaryPrompt, ...options }) =>
      createCodexRuntime(summaryPrompt === undefined ? options : { ...options, config: { compact_prompt: summaryPrompt } }),
    sessions: () => codexSessions(),
  },
  pi: {
    title: 'Pi',
    executable: 'pi',
    npmPackage: '@earendil-works/pi-coding-agent',
    capability: piManualCompaction,
    create: ({ summaryPrompt: _none, ...options }) => createPiRpcRuntime(options),
    sessions: () => piSessions(),
  },
} as const satisfies Record<string, KnownRuntime>;

export type RuntimeName = keyof typeof runtimes;
export const runtimeNames = Object.keys(runtimes) as RuntimeName[];

/** The command that installs the newest version that was tested. */
export function installCommand({ npmPackage, capability }: KnownRuntime): string {
  return `npm install --global ${npmPackage}@${capability.testedVersions.at(-1)}`;
}
