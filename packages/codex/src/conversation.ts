import type { RecordDraft } from '@native-compaction/core';
import { type JsonObject, number, object, optional, text } from '@native-compaction/transport';
import type { Fact } from './frames.ts';

type ItemFact = Extract<Fact, { kind: 'item_started' | 'item_completed' }>;

/** Items that run something and so are told twice: called, and with a result. */
const toolItems = new Set([
  'commandExecution',
  'fileChange',
  'mcpToolCall',
  'dynamicToolCall',
  'webSearch',
  'collabAgentToolCall',
  'imageView',
]);
/** Items that mean nothing for a host beyond what other records say. */
const quietItems = new Set([
  'userMessage',
  'reasoning',
  'plan',
  'contextCompaction',
  'hookPrompt',
  'enteredReviewMode',
  'exitedReviewMode',
]);

/** What an item says (T7); `taskId` is the thread of a child agent. */
export function itemRecords(fact: ItemFact, n: number, task: { taskId?: string }): RecordDraft[] {
  const { item, type, itemId } = fact;
  if (type === 'agentMessage') {
    return fact.kind === 'item_completed'
      ? [{ type: 'assistant_text', ...task, messageId: itemId, text: text(item.text) ?? '' }]
      : [];
  }
  if (toolItems.has(type)) {
    if (fact.kind === 'item_started')
      return [{ type: 'tool_called', ...task, toolCallId: itemId, tool: type, input: inputOf(item) }];
    const isError = item.status === 'failed' || item.status === 'declined' || (number(item.exitCode) ?? 0) !== 0;
    return [
      {
        type: 'tool_result',
        ...task,
        toolCallId: itemId,
        isError,
        text: text(item.aggregatedOutput) ?? JSON.stringify(object(item.result) ?? {}),
      },
    ];
  }
  return quietItems.has(type) || fact.kind === 'item_started' ? [] : [{ type: 'raw', frame: n, native: item }];
}

function inputOf(item: JsonObject): JsonObject {
  const shown = ['command', 'cwd', 'changes', 'server', 'tool', 'arguments', 'query', 'prompt', 'path'];
  return Object.fromEntries(shown.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

export function deltaRecord(fact: Extract<Fact, { kind: 'delta' }>, task: { taskId?: string }): RecordDraft {
  return { type: 'assistant_delta', ...task, ...optional('messageId', fact.itemId || undefined), text: fact.text };
}
