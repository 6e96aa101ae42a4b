import { object, text } from '@native-compaction/transport';
import { say } from '../following.ts';
import { openClaudeLab } from '../lab.ts';
import type { Subject } from '../subject.ts';
import { countIn, type VendorSubjectOptions } from './vendor-subject.ts';

/** The smallest window that makes Claude compact by itself. */
const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' };

/** Claude Code of one version, for the suite. */
export function createClaudeSubject(options: VendorSubjectOptions): Subject {
  return {
    ...options,
    runtime: 'claude',
    openLab: (script, { automatic = false } = {}) => openClaudeLab(script, automatic ? window : {}),
    open: { model: 'claude-sonnet-4-5' },
    seed: (session) => say(session, 'something to summarize'),
    replacements: (lab, nativeId) => countIn(lab, 'claude/projects', nativeId, /"subtype":"compact_boundary"/g),
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
