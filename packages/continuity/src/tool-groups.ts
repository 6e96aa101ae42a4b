import { type ContentBlock, canonicalJson, isBoundary, isRuntimeOwned, type TranscriptMessage, visibleText } from './messages.ts';

type ToolBlock = ContentBlock & { readonly id?: unknown };

/** Ids of the tools an assistant message calls, in order, each once; blank ones do not count. */
function callIds(message: TranscriptMessage): string[] {
  const calls = [...listOf(message.tool_calls), ...toolBlocks(message)];
  const ids = calls.flatMap(({ id }) => (typeof id === 'string' && id.trim() !== '' ? [id] : []));
  return [...new Set(ids)];
}

/** True when an assistant message calls tools, even ones without an id. */
export function hasCalls(message: TranscriptMessage): boolean {
  return listOf(message.tool_calls).length > 0 || toolBlocks(message).length > 0;
}

/** The run of results right behind the message at `index`. */
export function resultsAfter(messages: readonly TranscriptMessage[], index: number): TranscriptMessage[] {
  const run: TranscriptMessage[] = [];
  for (let next = index + 1; next < messages.length; next += 1) {
    const message = messages[next];
    if (message?.role !== 'tool' || isBoundary(message) || isRuntimeOwned(message)) break;
    run.push(message);
  }
  return run;
}

/** The calls that have a result, each with its first one, in the order of the calls; empty when none has. */
export function completeGroup(call: TranscriptMessage, run: readonly TranscriptMessage[]): TranscriptMessage[] {
  const results = new Map<string, TranscriptMessage>();
  for (const result of run) {
    const id = result.tool_call_id;
    if (typeof id === 'string' && !results.has(id)) results.set(id, result);
  }
  const kept = callIds(call).filter((id) => results.has(id));
  if (kept.length === 0) return [];
  return [callFrame(call, new Set(kept)), ...kept.map((id) => resultFrame(id, results.get(id)))];
}

function callFrame(call: TranscriptMessage, kept: ReadonlySet<string>): TranscriptMessage {
  const text = visibleText(call);
  const seen = new Set<string>();
  const isKept = ({ id }: { readonly id?: unknown }) => {
    if (typeof id !== 'string' || !kept.has(id) || seen.has(id)) return false;
    seen.add(id);
    return true;
  };
  const calls = listOf(call.tool_calls).filter(isKept);
  const blocks = toolBlocks(call).filter(isKept);
  const textBlocks: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }];
  return {
    role: 'assistant',
    content: blocks.length > 0 ? [...textBlocks, ...blocks] : text,
    ...(typeof call.reasoning_content === 'string' ? { reasoning_content: call.reasoning_content } : {}),
    ...(calls.length > 0 ? { tool_calls: calls as { id: string }[] } : {}),
  };
}

function resultFrame(id: string, result: TranscriptMessage | undefined): TranscriptMessage {
  const name = result?.name;
  return {
    role: 'tool',
    tool_call_id: id,
    ...(typeof name === 'string' ? { name } : {}),
    content: resultText(id, result?.content),
  };
}

/** A result as text: a string as it is, a provider's envelope for this call unwrapped, anything else as canonical JSON. */
function resultText(id: string, content: unknown): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return content;
  const only = Array.isArray(content) && content.length === 1 ? (content[0] as Record<string, unknown> | null) : undefined;
  if (only?.type === 'tool_result' && only.tool_use_id === id) return resultText(id, only.content);
  return canonicalJson(content);
}

function toolBlocks({ content }: TranscriptMessage): ToolBlock[] {
  return listOf<ToolBlock>(content).filter((block) => block.type === 'tool_use');
}

function listOf<T extends { readonly id?: unknown }>(value: unknown): T[] {
  return Array.isArray(value) ? value.filter((item): item is T => typeof item === 'object' && item !== null) : [];
}
