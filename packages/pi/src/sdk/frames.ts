import { type JsonObject, object } from '@native-compaction/transport';
import { toJson } from './copy.ts';

/** An event as RPC would write it: its own copy, and a message in the making without the text it had before. */
export function toFrame(event: unknown): JsonObject {
  const native = object(event) ?? {};
  return toJson(native.type === 'message_update' ? withoutPartial(native) : native);
}

/** What a promise of the session became, as the answer that RPC gives; marked, because Pi did not write it. */
export function answerFrame(id: unknown, command: string, data: unknown): JsonObject {
  return toJson({ id, type: 'response', command, success: true, data, adapterMade: true });
}

export function failureFrame(id: unknown, command: string, error: unknown): JsonObject {
  return { id, type: 'response', command, success: false, error: messageOf(error), adapterMade: true };
}

/** What the promise of a prompt became that had begun: Pi's events do not say whose run they settle. */
export function promptSettledFrame(id: unknown, success: boolean, isLooping: boolean): JsonObject {
  return { id, type: 'prompt_settled', success, isLooping, adapterMade: true };
}

function withoutPartial(event: JsonObject): JsonObject {
  const { partial: _partial, ...update } = object(event.assistantMessageEvent) ?? {};
  return { type: event.type, assistantMessageEvent: update };
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'unknown error';
  }
}
