import {
  type JsonObject,
  number,
  object,
  optional,
  type RpcError,
  text,
  toRpcFact,
  Unparsed,
} from '@native-compaction/transport';

/** What the app-server writes: a JSON object a line, or a line that is none. */
export type CodexIn = JsonObject | Unparsed;
export type CodexOut = JsonObject;

/** A native message as the machine reads it. `threadId` tells ours from a child agent's. */
export type Fact =
  | { readonly kind: 'response'; readonly id: string; readonly result?: JsonObject; readonly error?: RpcError }
  | { readonly kind: 'turn_started'; readonly threadId: string; readonly turnId: string }
  | {
      readonly kind: 'turn_completed';
      readonly threadId: string;
      readonly turnId: string;
      /** `completed`, `interrupted` or `failed`; any other word proves nothing. */
      readonly status: string;
      readonly message?: string;
      readonly code?: string;
    }
  | {
      readonly kind: 'item_started' | 'item_completed';
      readonly threadId: string;
      readonly turnId: string;
      readonly item: JsonObject;
      readonly type: string;
      readonly itemId: string;
    }
  | { readonly kind: 'delta'; readonly threadId: string; readonly itemId: string; readonly text: string }
  | { readonly kind: 'retry'; readonly threadId: string; readonly turnId: string }
  | { readonly kind: 'goal'; readonly threadId: string; readonly isActive: boolean }
  | { readonly kind: 'queue'; readonly threadId: string }
  | {
      readonly kind: 'usage';
      readonly threadId: string;
      readonly turnId: string;
      /** What the context holds after the last request. */
      readonly totalTokens?: number;
      /** What all requests of the thread used so far. */
      readonly total?: number;
      readonly usage: JsonObject;
    }
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'oversize' | 'noise' | 'quiet' | 'unknown' };

/** Notifications that are understood and mean nothing for a session's host. */
const quiet = new Set([
  'thread/started',
  'thread/status/changed',
  'thread/readState/changed',
  'thread/name/updated',
  'account/rateLimits/updated',
  'remoteControl/status/changed',
  'turn/diff/updated',
  'turn/plan/updated',
  'item/commandExecution/outputDelta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/textDelta',
  'item/reasoning/summaryPartAdded',
  'serverRequest/resolved',
  'deprecationNotice',
  'warning',
  'configWarning',
  'hook/started',
  'hook/completed',
  'mcpServer/startupStatus/updated',
]);

/** Projects a frame; total: what is missing or odd makes the fact weaker, never an error (T6). */
export function toFact(frame: CodexIn): Fact {
  if (frame instanceof Unparsed) return { kind: frame.kind };
  const fact = toRpcFact(frame);
  return fact.kind === 'notification' ? toNotification(fact.method, fact.params) : fact;
}

function toNotification(method: string, params: JsonObject): Fact {
  const threadId = text(params.threadId) ?? '';
  const turn = object(params.turn);
  const turnId = text(turn?.id) ?? text(params.turnId) ?? '';
  if (isAboutTurn(method) && (threadId === '' || turnId === '')) return { kind: 'unknown' };
  switch (method) {
    case 'turn/started':
      return { kind: 'turn_started', threadId, turnId };
    case 'turn/completed': {
      const error = object(turn?.error);
      const status = text(turn?.status) ?? '';
      return {
        kind: 'turn_completed',
        threadId,
        turnId,
        status,
        ...optional('message', text(error?.message)),
        ...optional('code', errorCode(error)),
      };
    }
    case 'item/started':
    case 'item/completed': {
      const item = object(params.item) ?? {};
      const kind = method === 'item/started' ? 'item_started' : 'item_completed';
      const itemId = text(item.id);
      return itemId ? { kind, threadId, turnId, item, type: text(item.type) ?? '', itemId } : { kind: 'unknown' };
    }
    case 'item/agentMessage/delta':
      return { kind: 'delta', threadId, itemId: text(params.itemId) ?? '', text: text(params.delta) ?? '' };
    case 'error':
      return params.willRetry === true ? { kind: 'retry', threadId, turnId } : { kind: 'quiet' };
    case 'thread/goal/updated':
      return { kind: 'goal', threadId, isActive: object(params.goal)?.status === 'active' };
    case 'thread/goal/cleared':
      return { kind: 'goal', threadId, isActive: false };
    case 'thread/queue/changed':
      return { kind: 'queue', threadId };
    case 'thread/tokenUsage/updated': {
      const usage = object(object(params.tokenUsage)?.last) ?? {};
      const total = number(object(object(params.tokenUsage)?.total)?.totalTokens);
      const figures = { ...optional('totalTokens', number(usage.totalTokens)), ...optional('total', total) };
      return { kind: 'usage', threadId, turnId, ...figures, usage };
    }
    default:
      return { kind: quiet.has(method) ? 'quiet' : 'unknown' };
  }
}

/** Frames that a proof is made of; without their ids they are nobody's. */
function isAboutTurn(method: string): boolean {
  return ['turn/started', 'turn/completed', 'item/started', 'item/completed'].includes(method);
}

/** The structured kind of a turn's error: a word, or the one member of an object. */
function errorCode(error: JsonObject | undefined): string | undefined {
  const info = error?.codexErrorInfo;
  return text(info) ?? Object.keys(object(info) ?? {})[0];
}
