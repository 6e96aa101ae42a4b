import type { RecordDraft, TurnOutcome, Usage } from '@native-compaction/core';
import { type JsonObject, number, object, optional, text } from '@native-compaction/transport';
import { contentText, type Fact } from './frames.ts';
import type { PiState, Run } from './state.ts';

/** What a frame of the conversation says to a host (T7). */
export function conversationRecords(state: PiState, fact: Fact): RecordDraft[] {
  switch (fact.kind) {
    case 'assistant': {
      // Its deltas name no message, so neither does the whole.
      const said = contentText(fact.message.content);
      return said === '' ? [] : [{ type: 'assistant_text', text: said }];
    }
    case 'delta':
      return state.facts.deltas ? [{ type: 'assistant_delta', ...optional('index', fact.index), text: fact.text }] : [];
    case 'tool_started':
      return [{ type: 'tool_called', toolCallId: fact.toolCallId, tool: fact.tool, input: fact.input }];
    case 'tool_ended':
      return [{ type: 'tool_result', toolCallId: fact.toolCallId, isError: fact.isError, text: fact.text }];
    default:
      return [];
  }
}

/** The run after one more assistant message: its last word is the run's outcome, its usage adds up. */
export function withAssistant(run: Run, message: JsonObject): Run {
  const outcomes: Record<string, TurnOutcome> = { error: 'failed', aborted: 'aborted' };
  const { message: _last, ...rest } = run;
  return {
    ...rest,
    outcome: outcomes[text(message.stopReason) ?? ''] ?? 'completed',
    usage: sum(run.usage ?? {}, object(message.usage) ?? {}),
    ...optional('message', text(message.errorMessage)),
  };
}

function sum(usage: Usage, more: JsonObject): Usage {
  const add = (before: number | undefined, value: unknown) =>
    number(value) === undefined ? before : (before ?? 0) + Number(value);
  return {
    ...optional('inputTokens', add(usage.inputTokens, more.input)),
    ...optional('outputTokens', add(usage.outputTokens, more.output)),
    ...optional('cacheReadTokens', add(usage.cacheReadTokens, more.cacheRead)),
    ...optional('cacheWriteTokens', add(usage.cacheWriteTokens, more.cacheWrite)),
  };
}
