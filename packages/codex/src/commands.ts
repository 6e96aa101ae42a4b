import type { PromptOptions } from '@native-compaction/core';
import { type JsonObject, optional, rpcRequest } from '@native-compaction/transport';
import type { CodexOut } from './frames.ts';

/** How a thread is opened. Prompts travel in the protocol: base and developer instructions. */
export interface ThreadOptions {
  readonly threadId?: string;
  readonly cwd: string;
  readonly model?: string;
  readonly prompt: PromptOptions;
  readonly config?: JsonObject;
}

export function initializeFrame(id: string, experimentalApi: boolean): CodexOut {
  const clientInfo = { name: 'native_compaction', title: 'native-compaction', version: '0.1.0' };
  return rpcRequest(id, 'initialize', { clientInfo, capabilities: { experimentalApi, requestAttestation: false } });
}

export function threadFrame(id: string, { threadId, cwd, model, prompt, config }: ThreadOptions): CodexOut {
  const shared = {
    ...optional('model', model),
    ...optional('baseInstructions', prompt.system),
    ...optional('developerInstructions', prompt.append),
    ...optional('config', config),
  };
  if (threadId === undefined) return rpcRequest(id, 'thread/start', { cwd, ...shared });
  return rpcRequest(id, 'thread/resume', { threadId, excludeTurns: true, cwd, ...shared });
}

export function turnFrame(id: string, threadId: string, content: string): CodexOut {
  return rpcRequest(id, 'turn/start', { threadId, input: [{ type: 'text', text: content }], clientUserMessageId: id });
}

export function compactFrame(id: string, threadId: string): CodexOut {
  return rpcRequest(id, 'thread/compact/start', { threadId });
}

/** Always with the turn it is for: an empty id would hit whatever runs (0.166.0, 0.171.0). */
export function interruptFrame(id: string, threadId: string, turnId: string): CodexOut {
  return rpcRequest(id, 'turn/interrupt', { threadId, turnId });
}

/** Asks nothing and can deliver nothing; its error names the kind of the turn that runs (0.166.0, 0.171.0). */
export function probeFrame(id: string, threadId: string, turnId: string): CodexOut {
  return rpcRequest(id, 'turn/steer', { threadId, expectedTurnId: turnId, input: [] });
}

export function goalFrame(id: string, threadId: string): CodexOut {
  return rpcRequest(id, 'thread/goal/get', { threadId });
}

export function queueFrame(id: string, threadId: string): CodexOut {
  return rpcRequest(id, 'thread/queue/list', { threadId });
}
