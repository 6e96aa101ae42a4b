import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClaudeRuntime } from '@native-compaction/claude';
import { openClaudeLab, type Subject } from '@native-compaction/conformance';
import { object, text } from '@native-compaction/transport';
import { say } from '../sessions.ts';
import { claudeExecutable } from '../vendors.ts';

/** The smallest window that makes Claude compact by itself. */
const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' };

/** Claude Code of one version, for the suite. */
export function claudeSubject(version: string): Subject {
  const executable = claudeExecutable(version);
  return {
    runtime: 'claude',
    version,
    command: [executable],
    createRuntime: (options) => createClaudeRuntime({ executable, ...options }),
    openLab: (script, { automatic = false } = {}) => openClaudeLab(script, automatic ? window : {}),
    open: { model: 'claude-sonnet-4-5' },
    seed: (session) => say(session, 'something to summarize'),
    replacements(lab, nativeId) {
      const projects = join(lab.home, 'claude/projects');
      const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith(`${nativeId}.jsonl`),
      );
      return files.flatMap((file) => readFileSync(join(projects, file), 'utf8').match(/"subtype":"compact_boundary"/g) ?? [])
        .length;
    },
    written(frame) {
      const request = object(frame.request);
      if (request?.subtype === 'initialize') return 'read';
      if (request?.subtype === 'interrupt') return 'cancel';
      if (frame.type !== 'user') return undefined;
      return /^\/compact(\s|$)/.test(text(object(frame.message)?.content) ?? '') ? 'compact' : 'input';
    },
    hasGateRead: true,
    foreign: (session) => ({
      type: 'user',
      uuid: crypto.randomUUID(),
      session_id: session.nativeId,
      parent_tool_use_id: null,
      message: { role: 'user', content: '/compact' },
    }),
    automatic: { inputTokens: 110_000 },
    toolCall: (file) => ({ tool: 'Bash', input: { command: `touch ${file}`, description: 'x' } }),
    reserved: ['/compact', '/compact now', '/clear'],
  };
}
