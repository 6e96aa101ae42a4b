import {
  JSON_STRING,
  type JsonObject,
  number,
  object,
  type Template,
  text,
  type Unparsed,
  unescaped,
} from '@native-compaction/transport';

/** A piece of what the model writes, or a frame that means nothing: neither moves the machine. */
export type PieceFact =
  | { readonly kind: 'delta'; readonly taskId: string | undefined; readonly index: number | undefined; readonly text: string }
  | { readonly kind: 'quiet' };
/** The message whose pieces come from now on. */
export type MessageFact = { readonly kind: 'message'; readonly messageId: string };

/** A piece of what the model writes, member by member as the CLI writes it (2.1.316, 2.1.332). */
const piece = new RegExp(
  [
    String.raw`^\{"type":"stream_event","event":\{"type":"content_block_delta","index":(0|[1-9]\d{0,8}),"delta":\{"type":"`,
    String.raw`(?:text_delta","text":"(${JSON_STRING})"|(?:thinking_delta","thinking|input_json_delta","partial_json)":"${JSON_STRING}")`,
    String.raw`\}\},"session_id":"[\w-]*","parent_tool_use_id":(?:null|"([\w-]*)"),"uuid":"[\w-]*"(?:,"api_message_id":"[\w-]*")?\}$`,
  ].join(''),
);
const quiet: PieceFact = { kind: 'quiet' };

/** What the most frequent lines mean. */
export const template: Template<PieceFact> = (line) => {
  const match = piece.exec(line);
  if (match === null) return undefined;
  const [, index, raw, taskId] = match;
  return raw === undefined ? quiet : { kind: 'delta', taskId, index: Number(index), text: unescaped(raw) };
};

/** What a parsed frame of the same kind means. */
export function toStreamFact(frame: JsonObject): PieceFact | MessageFact {
  const event = object(frame.event);
  const messageId = event?.type === 'message_start' ? text(object(event.message)?.id) : undefined;
  if (messageId !== undefined) return { kind: 'message', messageId };
  const delta = object(event?.delta);
  const value = event?.type === 'content_block_delta' && delta?.type === 'text_delta' ? text(delta.text) : undefined;
  if (value === undefined) return quiet;
  return { kind: 'delta', taskId: childOf(frame), index: number(event?.index), text: value };
}

/** The task of the child agent that a frame is of, if it is of one. */
export function childOf(frame: JsonObject | Unparsed): string | undefined {
  return 'parent_tool_use_id' in frame ? text(frame.parent_tool_use_id) : undefined;
}
