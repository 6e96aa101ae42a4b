import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaudeOpenOptions, type ClaudeRuntimeOptions, createClaudeRuntime } from '@native-compaction/claude';
import { type Lab, openClaudeLab, type Script } from '@native-compaction/conformance';
import type { Session, SessionRecord } from '@native-compaction/core';
import { claudeExecutable } from './vendors.ts';

export const MODEL = 'claude-sonnet-4-5';

/** A lab with a real Claude Code of one version; everything it opened is gone after `close`. */
export interface ClaudeBench extends Lab {
  readonly version: string;
  open(options?: ClaudeOpenOptions, runtime?: ClaudeRuntimeOptions): Promise<Session>;
  /** Rows of the session's transcript on disk, in file order. */
  transcript(nativeId: string): Record<string, unknown>[];
}

export async function openClaudeBench(version: string, script?: Script, extra?: Record<string, string>): Promise<ClaudeBench> {
  const lab = await openClaudeLab(script, extra);
  const sessions: Session[] = [];
  return {
    ...lab,
    version,
    async open(options = {}, runtime = {}) {
      const { env, ...rest } = runtime;
      const claude = createClaudeRuntime({ executable: claudeExecutable(version), ...rest, env: { ...lab.env, ...env } });
      const session = await claude.open({ cwd: lab.project, model: MODEL, ...options });
      sessions.push(session);
      return session;
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
      await lab.close();
    },
  };
}

/** Sends a prompt and waits for its end. */
export async function say(session: Session, text: string): Promise<void> {
  const outcome = await session.send(text).ended;
  if (outcome !== 'completed') throw new Error(`The seed prompt ended ${outcome}.`);
}

/** Resolves with the first record that fits, from the oldest retained one on. */
export async function record<T extends SessionRecord['type']>(
  session: Session,
  type: T,
  fits: (record: Extract<SessionRecord, { type: T }>) => boolean = () => true,
): Promise<Extract<SessionRecord, { type: T }>> {
  for await (const item of session.records()) {
    if (item.type === type && fits(item as Extract<SessionRecord, { type: T }>))
      return item as Extract<SessionRecord, { type: T }>;
  }
  throw new Error(`The log ended without ${type}.`);
}

/** Everything recorded so far. */
export async function recordsSoFar(session: Session): Promise<SessionRecord[]> {
  const { seq } = session.checkpoint().cursor;
  const found: SessionRecord[] = [];
  if (seq === 0) return found;
  for await (const item of session.records()) {
    found.push(item);
    if (item.seq >= seq) break;
  }
  return found;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
