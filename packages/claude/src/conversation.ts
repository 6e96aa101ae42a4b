import type { RecordDraft } from '@native-compaction/core';
import { type JsonObject, object, optional, text } from '@native-compaction/transport';

/** What an assistant frame says: text, tool calls, and what is not known as a raw copy (T6, T7). */
export function assistantRecords(frame: JsonObject, n: number): RecordDraft[] {
  const message = object(frame.message);
  const task = optional('taskId', text(frame.parent_tool_use_id));
  const id = optional('messageId', text(message?.id));
  return blocks(message?.content).map((block): RecordDraft => {
    const said = block.type === 'text' ? text(block.text) : undefined;
    if (said !== undefined) return { type: 'assistant_text', ...task, ...id, text: said };
    const toolCallId = block.type === 'tool_use' ? text(block.id) : undefined;
    if (toolCallId === undefined) return { type: 'raw', frame: n, native: block };
    return { type: 'tool_called', ...task, toolCallId, tool: text(block.name) ?? '', input: block.input };
  });
}

/** Tool results travel in user frames. */
export function userRecords(frame: JsonObject, n: number): RecordDraft[] {
  const task = optional('taskId', text(frame.parent_tool_use_id));
  return blocks(object(frame.message)?.content).flatMap((block): RecordDraft[] => {
    if (block.type === 'text') return [];
    const toolCallId = block.type === 'tool_result' ? text(block.tool_use_id) : undefined;
    if (toolCallId === undefined) return [{ type: 'raw', frame: n, native: block }];
    return [{ type: 'tool_result', ...task, toolCallId, isError: block.is_error === true, text: plainText(block.content) }];
  });
}

function blocks(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map((block) => object(block) ?? {}) : [];
}

function plainText(content: unknown): string {
  return blocks(content)
    .map((block) => text(block.text) ?? '')
    .join('');
}
