import { openCodexLab } from '../codex-lab.ts';
import { say } from '../following.ts';
import type { Subject, WrittenKind } from '../subject.ts';
import { countIn, type VendorSubjectOptions } from './vendor-subject.ts';

const kinds: Readonly<Record<string, WrittenKind>> = {
  'thread/compact/start': 'compact',
  'turn/start': 'input',
  'turn/interrupt': 'cancel',
  'thread/goal/get': 'read',
};

/** Codex of one version, for the suite. */
export function createCodexSubject(options: VendorSubjectOptions): Subject {
  return {
    ...options,
    runtime: 'codex',
    openLab: (script, { automatic = false } = {}) =>
      openCodexLab(script, automatic ? { config: ['model_auto_compact_token_limit = 50000'] } : {}),
    seed: (session) => say(session, 'something to summarize'),
    replacements: (lab, nativeId) => countIn(lab, 'codex/sessions', nativeId, /"type":"compacted"/g),
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
