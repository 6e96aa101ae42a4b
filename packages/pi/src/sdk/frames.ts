import { type JsonObject, object } from '@native-compaction/transport';

/** An event as RPC would write it: its own copy, and a message in the making without the text it had before. */
export function toFrame(event: unknown): JsonObject {
  const native = object(event) ?? {};
  return copy(native.type === 'message_update' ? withoutPartial(native) : native);
}

/** What a promise of the session became, as the answer that RPC gives; marked, because Pi did not write it. */
export function answerFrame(id: unknown, command: string, data: unknown): JsonObject {
  return copy({ id, type: 'response', command, success: true, data, adapterMade: true });
}

export function failureFrame(id: unknown, command: string, error: unknown): JsonObject {
  return { id, type: 'response', command, success: false, error: messageOf(error), adapterMade: true };
}

function withoutPartial(event: JsonObject): JsonObject {
  const { partial: _partial, ...update } = object(event.assistantMessageEvent) ?? {};
  return { type: event.type, assistantMessageEvent: update };
}

function copy(value: JsonObject): JsonObject {
  try {
    return object(JSON.parse(JSON.stringify(value))) ?? {};
  } catch {
    return { type: value.type, unreadable: true };
  }
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'unknown error';
  }
}
