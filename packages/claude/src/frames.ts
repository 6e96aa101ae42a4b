import type { LineFrame } from '@native-compaction/transport';
import { type JsonObject, number, object, oneOf, optional, text, texts, Unparsed } from '@native-compaction/transport';
import { type MessageFact, type PieceFact, toStreamFact } from './pieces.ts';

/** What the CLI writes: a JSON object a line, one that was read off its line, or a line that is none. */
export type ClaudeIn = ClaudeMessage | LineFrame<PieceFact>;
export type ClaudeMessage = JsonObject | Unparsed;
export type ClaudeOut = JsonObject;

export type LifecycleState = 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded' | 'refused';

/** A native frame as the machine reads it: only the members a decision or a record may rest on. */
export type Fact =
  | { readonly kind: 'lifecycle'; readonly uuid: string; readonly state: LifecycleState }
  | { readonly kind: 'status'; readonly isCompacting: boolean; readonly result?: 'success' | 'failed'; readonly error?: string }
  | {
      readonly kind: 'init';
      readonly uuids: readonly string[];
      readonly sessionId?: string;
      readonly capabilities?: readonly string[];
    }
  | {
      readonly kind: 'boundary';
      readonly uuid: string;
      readonly trigger?: 'manual' | 'auto';
      readonly before?: number;
      readonly after?: number;
      readonly durationMs?: number;
    }
  | { readonly kind: 'commands'; readonly commands: unknown }
  | { readonly kind: 'command_text'; readonly hasFailed: boolean; readonly text: string }
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'assistant'; readonly frame: JsonObject }
  | { readonly kind: 'user'; readonly frame: JsonObject }
  | PieceFact
  | MessageFact
  | {
      readonly kind: 'result';
      readonly frame: JsonObject;
      readonly uuid?: string;
      readonly uuids?: readonly string[];
      readonly localCommand?: string;
      readonly turns?: number;
    }
  | { readonly kind: 'response'; readonly id: string; readonly response?: JsonObject; readonly error?: string }
  | { readonly kind: 'request'; readonly id: string; readonly method: string; readonly request: JsonObject }
  | { readonly kind: 'request_cancelled'; readonly id: string }
  | { readonly kind: 'compaction_context'; readonly id: string; readonly text?: string }
  | { readonly kind: 'background'; readonly isRunning: boolean }
  | { readonly kind: 'task_started' | 'task_ended'; readonly taskId: string; readonly status?: string }
  | { readonly kind: 'oversize' | 'noise' | 'unknown' };

/** The name our hook is called by. */
export const CONTEXT_CALLBACK = 'native-compaction-context';
/** The type of the frame in which the adapter hands in the host's text, right behind the hook's call. */
export const CONTEXT_FRAME = 'native_compaction_context';

/** The id of the CLI's call of our own hook; undefined for every other frame. */
export function contextCallOf(frame: ClaudeMessage): string | undefined {
  if (frame instanceof Unparsed || frame.type !== 'control_request') return undefined;
  const request = object(frame.request);
  return request?.subtype === 'hook_callback' && request.callback_id === CONTEXT_CALLBACK ? text(frame.request_id) : undefined;
}

/** Frames that are understood and mean nothing for a session's host. */
const quietTypes = new Set([
  'keep_alive',
  'rate_limit_event',
  'tool_progress',
  'system/session_state_changed',
  'system/task_progress',
  'system/hook_started',
  'system/hook_response',
]);
const lifecycleStates = new Set(['queued', 'started', 'completed', 'cancelled', 'discarded', 'refused']);

/** Projects a frame; total: whatever is missing or odd makes the fact weaker, never an error (T6). */
export function toFact(frame: ClaudeMessage): Fact {
  if (frame instanceof Unparsed) return { kind: frame.kind };
  if (contextCallOf(frame) !== undefined) return { kind: 'quiet' };
  const type = text(frame.type);
  switch (type) {
    case 'stream_event':
      return toStreamFact(frame);
    case 'assistant':
      return toAssistant(frame);
    case 'user':
      return toUser(frame);
    case 'system':
      return toSystem(frame, text(frame.subtype) ?? '');
    case 'result':
      return toResult(frame);
    case 'command_lifecycle': {
      const [uuid, state] = [text(frame.command_uuid), text(frame.state)];
      if (uuid === undefined || state === undefined || !lifecycleStates.has(state)) return { kind: 'unknown' };
      return { kind: 'lifecycle', uuid, state: state as LifecycleState };
    }
    case 'control_response': {
      const response = object(frame.response);
      const id = text(response?.request_id);
      if (id === undefined) return { kind: 'unknown' };
      if (response?.subtype === 'error') return { kind: 'response', id, error: text(response.error) ?? 'error' };
      return { kind: 'response', id, response: object(response?.response) ?? {} };
    }
    case 'control_request': {
      const [id, request] = [text(frame.request_id), object(frame.request)];
      return id === undefined
        ? { kind: 'unknown' }
        : { kind: 'request', id, method: text(request?.subtype) ?? 'unknown', request: request ?? {} };
    }
    case CONTEXT_FRAME:
      return { kind: 'compaction_context', id: text(frame.request_id) ?? '', ...optional('text', text(frame.text)) };
    case 'control_cancel_request': {
      const id = text(frame.request_id);
      return id === undefined ? { kind: 'unknown' } : { kind: 'request_cancelled', id };
    }
    default:
      return { kind: type !== undefined && quietTypes.has(type) ? 'quiet' : 'unknown' };
  }
}

function toSystem(frame: JsonObject, subtype: string): Fact {
  switch (subtype) {
    case 'init':
      return {
        kind: 'init',
        uuids: texts(frame.user_message_uuids) ?? [],
        ...optional('sessionId', text(frame.session_id)),
        ...optional('capabilities', texts(frame.capabilities)),
      };
    case 'status': {
      const result = oneOf(frame.compact_result, ['success', 'failed']);
      return {
        kind: 'status',
        isCompacting: frame.status === 'compacting',
        ...optional('result', result),
        ...optional('error', text(frame.compact_error)),
      };
    }
    case 'compact_boundary': {
      const metadata = object(frame.compact_metadata) ?? {};
      const trigger = oneOf(metadata.trigger, ['manual', 'auto']);
      return {
        kind: 'boundary',
        uuid: text(frame.uuid) ?? '',
        ...optional('trigger', trigger),
        ...optional('before', number(metadata.pre_tokens)),
        ...optional('after', number(metadata.post_tokens)),
        ...optional('durationMs', number(metadata.duration_ms)),
      };
    }
    case 'commands_changed':
      return { kind: 'commands', commands: frame.commands };
    case 'background_tasks_changed':
      return { kind: 'background', isRunning: Array.isArray(frame.tasks) && frame.tasks.length > 0 };
    case 'task_started':
    case 'task_notification': {
      const taskId = text(frame.tool_use_id) ?? text(frame.task_id);
      if (taskId === undefined) return { kind: 'unknown' };
      return {
        kind: subtype === 'task_started' ? 'task_started' : 'task_ended',
        taskId,
        ...optional('status', text(frame.status)),
      };
    }
    default:
      return { kind: quietTypes.has(`system/${subtype}`) ? 'quiet' : 'unknown' };
  }
}

function toResult(frame: JsonObject): Fact {
  return {
    kind: 'result',
    frame,
    ...optional('uuid', text(frame.user_message_uuid)),
    ...optional('uuids', texts(frame.user_message_uuids)),
    ...optional('localCommand', text(frame.local_command)),
    ...optional('turns', number(frame.num_turns)),
  };
}

function toAssistant(frame: JsonObject): Fact {
  if (frame.local_command_source === undefined) return { kind: 'assistant', frame };
  const content = object(frame.message)?.content;
  const first = Array.isArray(content) ? text(object(content[0])?.text) : text(content);
  return { kind: 'command_text', hasFailed: object(frame.local_command_outcome)?.kind === 'failed', text: first ?? '' };
}

function toUser(frame: JsonObject): Fact {
  const content = object(frame.message)?.content;
  if (frame.isSynthetic === true && typeof content === 'string') return { kind: 'summary', text: content };
  if (frame.isReplay === true || frame.isSynthetic === true) return { kind: 'quiet' };
  return { kind: 'user', frame };
}
