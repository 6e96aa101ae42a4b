import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCodexRuntime } from '@native-compaction/codex';
import { openCodexLab, type Subject, type WrittenKind } from '@native-compaction/conformance';
import { say } from '../sessions.ts';
import { codexExecutable } from '../vendors.ts';

const kinds: Readonly<Record<string, WrittenKind>> = {
  'thread/compact/start': 'compact',
  'turn/start': 'input',
  'turn/interrupt': 'cancel',
  'thread/goal/get': 'read',
};

/** Codex of one version, for the suite. */
export function codexSubject(version: string): Subject {
  const executable = codexExecutable(version);
  return {
    runtime: 'codex',
    version,
    command: [executable],
    createRuntime: (options) => createCodexRuntime({ executable, ...options }),
    openLab: (script, { automatic = false } = {}) =>
      openCodexLab(script, automatic ? { config: ['model_auto_compact_token_limit = 50000'] } : {}),
    seed: (session) => say(session, 'something to summarize'),
    replacements(lab, nativeId) {
      const folder = join(lab.home, 'codex/sessions');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith(`${nativeId}.jsonl`),
      );
      return files.flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/"type":"compacted"/g) ?? []).length;
    },
    written: (frame) => kinds[String(frame.method)],
    hasGateRead: true,
    foreign: (session) => ({
      id: `somebody-${crypto.randomUUID()}`,
      method: 'thread/compact/start',
      params: { threadId: session.nativeId },
    }),
    looksAlike: 'Two compactions over one connection are two turns that name no request.',
    automatic: { inputTokens: 60_000 },
    toolCall: (file) => ({
      tool: 'exec_command',
      input: { cmd: `touch ${file}`, sandbox_permissions: 'require_escalated', justification: 'to write a file' },
    }),
  };
}
