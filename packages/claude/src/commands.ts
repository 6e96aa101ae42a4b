import type { PromptOptions } from '@native-compaction/core';
import { type ClaudeOut, CONTEXT_CALLBACK } from './frames.ts';

/** The opening read: prompts travel in it, and its answer is the idle edge of a fresh process. */
export function initializeFrame(id: string, prompt: PromptOptions = {}, hasCompactionContext = false): ClaudeOut {
  const request = {
    subtype: 'initialize',
    ...(prompt.system === undefined ? {} : { systemPrompt: [prompt.system] }),
    ...(prompt.append === undefined ? {} : { appendSystemPrompt: prompt.append }),
    ...(hasCompactionContext ? { hooks: { SessionStart: [{ matcher: 'compact', hookCallbackIds: [CONTEXT_CALLBACK] }] } } : {}),
  };
  return { type: 'control_request', request_id: id, request };
}

export function userFrame(uuid: string, content: string): ClaudeOut {
  return { type: 'user', uuid, session_id: '', parent_tool_use_id: null, message: { role: 'user', content } };
}

/** The command is taken natively only when the text starts with it exactly (2.1.316, 2.1.332). */
export function compactFrame(uuid: string, instructions?: string): ClaudeOut {
  return userFrame(uuid, instructions === undefined ? '/compact' : `/compact ${instructions}`);
}

export function interruptFrame(id: string, cancelQueued: boolean): ClaudeOut {
  const request = cancelQueued ? { subtype: 'interrupt', cancel_queued: true } : { subtype: 'interrupt' };
  return { type: 'control_request', request_id: id, request };
}

export function allowFrame(id: string, input: unknown): ClaudeOut {
  return {
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response: { behavior: 'allow', updatedInput: input } },
  };
}

export function denyFrame(id: string, message: string): ClaudeOut {
  return { type: 'control_response', response: { subtype: 'success', request_id: id, response: { behavior: 'deny', message } } };
}

export function refuseFrame(id: string, method: string): ClaudeOut {
  return {
    type: 'control_response',
    response: { subtype: 'error', request_id: id, error: `This client does not answer ${method}.` },
  };
}

/** The hook's answer; what it adds stands in the first provider request after the compaction (2.1.316, 2.1.332). */
export function contextFrame(id: string, text: string | undefined): ClaudeOut {
  const output = text === undefined ? {} : { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } };
  return { type: 'control_response', response: { subtype: 'success', request_id: id, response: output } };
}

const sessionCommand = /^\/(compact|autocompact|clear|reset|new|exit|quit|resume|continue|rewind|branch|fork)(?:\s|$)/;

/** Texts that Claude Code would take as a command on the session itself (S5). */
export function reservedCommand(text: string): string | undefined {
  const name = sessionCommand.exec(text)?.[1];
  if (name === undefined) return undefined;
  if (name === 'compact') return 'Claude Code takes "/compact" as a compaction. Call session.compact() instead.';
  return `Claude Code takes "/${name}" as a command on the session. Open a new session or dispose this one instead.`;
}
