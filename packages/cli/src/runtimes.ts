import { claudeManualCompaction, claudeSessions, createClaudeRuntime } from '@native-compaction/claude';
import { codexManualCompaction, codexSessions, createCodexRuntime } from '@native-compaction/codex';
import { createClaudeSubject, createCodexSubject, createPiSubject, type Subject } from '@native-compaction/conformance';
import type { ManualCompaction, OpenOptions, Runtime, RuntimeOptions } from '@native-compaction/core';
import { piManualCompaction } from '@native-compaction/pi';
import { createPiRpcRuntime, piSessions } from '@native-compaction/pi/rpc';
import type { StoredSession, Tap } from '@native-compaction/transport';
import { isScript } from './executable.ts';

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
  /** What its session ids look like; no other is asked for. */
  readonly nativeId: RegExp;
  /** The npm package that brings the CLI. */
  readonly npmPackage: string;
  readonly capability: ManualCompaction;
  create(options: CreateOptions): Runtime<OpenOptions>;
  /** The sessions in the vendor's own store, newest first. */
  sessions(): Iterable<StoredSession>;
  /** The CLI at this place, for the suite. */
  subject(executable: string, version: string): Subject;
}

/** A JavaScript file is run with this process's own Node, as the runtimes do. */
function toSubjectOptions(executable: string, version: string, create: (options: CreateOptions) => Runtime<OpenOptions>) {
  const command: readonly [string, ...string[]] = isScript(executable) ? [process.execPath, executable] : [executable];
  const createRuntime: Subject['createRuntime'] = (options) => create({ executable, ...options });
  return { version, command, createRuntime };
}

const createClaude = ({ summaryPrompt: _none, ...options }: CreateOptions) => createClaudeRuntime(options);
const createCodex = ({ summaryPrompt, ...options }: CreateOptions) =>
  createCodexRuntime(summaryPrompt === undefined ? options : { ...options, config: { compact_prompt: summaryPrompt } });
const createPi = ({ summaryPrompt: _none, ...options }: CreateOptions) => createPiRpcRuntime(options);

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const runtimes = {
  claude: {
    title: 'Claude Code',
    executable: 'claude',
    nativeId: uuid,
    npmPackage: '@anthropic-ai/claude-code',
    capability: claudeManualCompaction,
    create: createClaude,
    sessions: () => claudeSessions(),
    subject: (executable, version) => createClaudeSubject(toSubjectOptions(executable, version, createClaude)),
  },
  codex: {
    title: 'Codex',
    executable: 'codex',
    nativeId: uuid,
    npmPackage: '@openai/codex',
    capability: codexManualCompaction,
    create: createCodex,
    sessions: () => codexSessions(),
    subject: (executable, version) => createCodexSubject(toSubjectOptions(executable, version, createCodex)),
  },
  pi: {
    title: 'Pi',
    executable: 'pi',
    nativeId: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    npmPackage: '@earendil-works/pi-coding-agent',
    capability: piManualCompaction,
    create: createPi,
    sessions: () => piSessions(),
    subject: (executable, version) => createPiSubject(toSubjectOptions(executable, version, createPi)),
  },
} as const satisfies Record<string, KnownRuntime>;

export type RuntimeName = keyof typeof runtimes;
export const runtimeNames = Object.keys(runtimes) as RuntimeName[];

/** The command that installs the newest version that was tested. */
export function installCommand({ npmPackage, capability }: KnownRuntime): string {
  return `npm install --global ${npmPackage}@${capability.testedVersions.at(-1)}`;
}
