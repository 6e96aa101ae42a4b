import { type JsonObject, object, oneOf, optional, text, Unparsed } from '@native-compaction/transport';

/** What Pi says: a JSON object a line over RPC, the same objects in process, or a line that is none. */
export type PiIn = JsonObject | Unparsed;
export type PiOut = JsonObject;

/** A native end of a compaction. `odd` is one that says neither how nor why. */
export type EndKind = 'completed' | 'failed' | 'aborted' | 'odd';

export interface CompactionEnd {
  readonly kind: EndKind;
  readonly result?: JsonObject;
  readonly message?: string;
}

/** The answer to a command. Ours carry our id; in process the adapter makes it of the promise and marks it. */
export interface ResponseFact {
  readonly kind: 'response';
  readonly id: string;
  readonly command: string;
  readonly isSuccess: boolean;
  readonly isAdapterMade: boolean;
  readonly data?: JsonObject;
  readonly error?: string;
}

/** A native message as the machine reads it. Events carry no id: only a response tells whose doing it answers. */
export type Fact =
  | ResponseFact
  | { readonly kind: 'compaction_start'; readonly isManual: boolean }
  | { readonly kind: 'compaction_end'; readonly isManual: boolean; readonly end: CompactionEnd }
  | { readonly kind: 'summary_retry' }
  | { readonly kind: 'run_started' }
  | { readonly kind: 'run_settled'; readonly isAborted: boolean }
  /** The promise of a prompt that had begun, and whether a loop was running then; only in process. */
  | { readonly kind: 'prompt_over'; readonly id: string; readonly isSuccess: boolean; readonly isLooping: boolean }
  | { readonly kind: 'loop_ended' }
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly message: JsonObject }
  | { readonly kind: 'delta'; readonly index?: number; readonly text: string }
  | { readonly kind: 'tool_started'; readonly toolCallId: string; readonly tool: string; readonly input: unknown }
  | { readonly kind: 'tool_ended'; readonly toolCallId: string; readonly isError: boolean; readonly text: string }
  | { readonly kind: 'queue'; readonly pending: number }
  | { readonly kind: 'bash'; readonly id: string }
  | { readonly kind: 'question'; readonly id: string; readonly method: string }
  | { readonly kind: 'oversize' | 'noise' | 'quiet' | 'unknown' };

/** Events that are understood and mean nothing for a session's host. */
const quiet = new Set([
  'turn_start',
  'turn_end',
  'message_start',
  'tool_execution_update',
  'entry_appended',
  'session_info_changed',
  'thinking_level_changed',
  'auto_retry_start',
  'auto_retry_end',
  'summarization_retry_finished',
]);

/** Projects a frame; total: what is missing or odd makes the fact weaker, never an error (T6). */
export function toFact(frame: PiIn): Fact {
  if (frame instanceof Unparsed) return { kind: frame.kind };
  switch (frame.type) {
    case 'response':
      return toResponse(frame);
    case 'compaction_start': {
      const reason = oneOf(frame.reason, ['manual', 'threshold', 'overflow']);
      return reason ? { kind: 'compaction_start', isManual: reason === 'manual' } : { kind: 'unknown' };
    }
    case 'compaction_end': {
      const reason = oneOf(frame.reason, ['manual', 'threshold', 'overflow']);
      return reason ? { kind: 'compaction_end', isManual: reason === 'manual', end: toEnd(frame) } : { kind: 'unknown' };
    }
    case 'summarization_retry_scheduled':
    case 'summarization_retry_attempt_start':
      return frame.source === 'branchSummary' ? { kind: 'quiet' } : { kind: 'summary_retry' };
    case 'agent_start':
      return { kind: 'run_started' };
    case 'agent_settled':
      return { kind: 'run_settled', isAborted: frame.aborted === true };
    case 'prompt_settled':
      if (frame.adapterMade !== true) return { kind: 'unknown' };
      return {
        kind: 'prompt_over',
        id: text(frame.id) ?? '',
        isSuccess: frame.success === true,
        isLooping: frame.isLooping === true,
      };
    case 'agent_end':
      return { kind: 'loop_ended' };
    case 'message_end': {
      const message = object(frame.message);
      if (message?.role === 'user') return { kind: 'user', text: contentText(message.content) };
      return message?.role === 'assistant' ? { kind: 'assistant', message } : { kind: 'quiet' };
    }
    case 'message_update': {
      const event = object(frame.assistantMessageEvent);
      if (event?.type !== 'text_delta') return { kind: 'quiet' };
      const index = typeof event.contentIndex === 'number' ? event.contentIndex : undefined;
      return { kind: 'delta', ...optional('index', index), text: text(event.delta) ?? '' };
    }
    case 'tool_execution_start':
      return {
        kind: 'tool_started',
        toolCallId: text(frame.toolCallId) ?? '',
        tool: text(frame.toolName) ?? '',
        input: frame.args,
      };
    case 'tool_execution_end':
      return {
        kind: 'tool_ended',
        toolCallId: text(frame.toolCallId) ?? '',
        isError: frame.isError === true,
        text: contentText(object(frame.result)?.content),
      };
    case 'queue_update':
      return { kind: 'queue', pending: count(frame.steering) + count(frame.followUp) };
    case 'bash_execution_update':
      // Without an id its end could not be told; in process Pi's own state says whether one runs.
      return text(frame.id) ? { kind: 'bash', id: text(frame.id) ?? '' } : { kind: 'quiet' };
    case 'extension_ui_request':
      return { kind: 'question', id: text(frame.id) ?? '', method: text(frame.method) ?? '' };
    default:
      return { kind: quiet.has(text(frame.type) ?? '') ? 'quiet' : 'unknown' };
  }
}

function toResponse(frame: JsonObject): Fact {
  return {
    kind: 'response',
    id: text(frame.id) ?? '',
    command: text(frame.command) ?? '',
    isSuccess: frame.success === true,
    isAdapterMade: frame.adapterMade === true,
    ...optional('data', object(frame.data)),
    ...optional('error', text(frame.error)),
  };
}

/** Classified by `aborted`, never by the text: each version has another one for the same cancel (1.4.0, 1.5.0, 1.6.0). */
function toEnd(frame: JsonObject): CompactionEnd {
  const result = object(frame.result);
  const message = text(frame.errorMessage);
  if (result && (frame.aborted !== false || message !== undefined)) return { kind: 'odd' };
  if (frame.aborted === true) return { kind: 'aborted' };
  if (result) return { kind: 'completed', result };
  return message === undefined || frame.aborted !== false ? { kind: 'odd' } : { kind: 'failed', message };
}

/** All text parts of native content. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part: unknown) => (object(part)?.type === 'text' ? [text(object(part)?.text) ?? ''] : [])).join('');
}

function count(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
