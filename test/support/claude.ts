import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type ClaudeOpenOptions,
  type ClaudeRuntimeOptions,
  claudeMachine,
  claudeManualCompaction,
  createClaudeRuntime,
  testedVersions,
} from '@native-compaction/claude';
import { type Lab, openClaudeLab, type Script } from '@native-compaction/conformance';
import { createRedactor, openSession, type Session } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { toLaunch } from '../../packages/claude/src/options.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { definedOnly, type Watch, watchedWire } from './sessions.ts';
import { claudeExecutable } from './vendors.ts';

export { record, recordsSoFar, say } from './sessions.ts';

export const MODEL = 'claude-sonnet-4-5';

/** A lab with a real Claude Code of one version; everything it opened is gone after `close`. */
export interface ClaudeBench extends Lab {
  readonly version: string;
  open(options?: ClaudeOpenOptions, runtime?: ClaudeRuntimeOptions): Promise<Session>;
  /** Disposes the session with the bench. */
  keep(session: Session): void;
  readonly recorder: Recorder;
  /** Rows of the session's transcript on disk, in file order. */
  transcript(nativeId: string): Record<string, unknown>[];
}

/** A session on a real CLI, with the wire in the test's own hand: what it writes is foreign to the library. */
export interface Wired {
  readonly session: Session;
  readonly pid: number;
  write(frame: JsonObject): void;
  /** Closes the CLI's stdin and lets it go on. */
  endInput(): Promise<void>;
}

export interface WiredOptions {
  readonly open?: ClaudeOpenOptions;
  readonly args?: readonly string[];
  /** Sees every frame before the library does, in both directions. */
  readonly watch?: Watch;
}

/** Opens a session as the runtime does, but keeps the wire within reach. */
export async function openWired(bench: ClaudeBench, { open = {}, args = [], watch }: WiredOptions = {}): Promise<Wired> {
  const env = definedOnly({ PATH: process.env.PATH, ...bench.env });
  const redactor = createRedactor(env);
  const launch = toLaunch({ model: MODEL, ...open }, args, crypto.randomUUID());
  const { wire, write, pid } = await watchedWire(
    { executable: claudeExecutable(bench.version), args: launch.args, cwd: bench.project, env, redactor },
    bench.recorder,
    watch,
  );
  const session = await openSession({
    runtime: 'claude',
    machine: claudeMachine,
    facts: { ...(launch.nativeId ? { nativeId: launch.nativeId } : {}), prompt: open.prompt ?? {}, testedVersions },
    wire,
    redactor,
    manualCompaction: claudeManualCompaction,
    promptChange: () => ({ system: 'unknown', append: 'unknown' }),
    permissions: open.permissions,
  });
  bench.keep(session);
  return { session, pid: pid(), write, endInput: () => wire.close(600_000) };
}

export async function openClaudeBench(version: string, script?: Script, extra?: Record<string, string>): Promise<ClaudeBench> {
  const lab = await openClaudeLab(script, extra);
  const sessions: Session[] = [];
  const recorder = createRecorder('claude', version);
  return {
    ...lab,
    version,
    recorder,
    async open(options = {}, runtime = {}) {
      const { env, tap, ...rest } = runtime;
      const isReal = rest.executable === undefined;
      const claude = createClaudeRuntime({
        executable: claudeExecutable(version),
        ...rest,
        env: { ...lab.env, ...env },
        tap(line) {
          tap?.(line);
          if (isReal) recorder.add(line.pid, line.dir, line.frame);
        },
      });
      const session = await claude.open({ cwd: lab.project, model: MODEL, ...options });
      sessions.push(session);
      if (isReal) recorder.follow(session);
      return session;
    },
    keep(session) {
      sessions.push(session);
      recorder.follow(session);
    },
    transcript(nativeId) {
      const projects = join(lab.home, 'claude/projects');
      for (const project of readdirSync(projects)) {
        const file = join(projects, project, `${nativeId}.jsonl`);
        const lines = readOrEmpty(file).split('\n').filter(Boolean);
        if (lines.length > 0) return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      }
      return [];
    },
    async close() {
      await Promise.all(sessions.map((session) => session.dispose()));
      recorder.save([lab.project, lab.home, dirname(lab.home)]);
      await lab.close();
    },
  };
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
