import type { ChatCompletionRequest, Fixture, FixtureResponse } from '@copilotkit/aimock';

/** One request a vendor CLI sent to the model, in the order of arrival. */
export interface ModelRequest {
  /** Counts from 1. */
  readonly number: number;
  /** All system text of the request, joined. */
  readonly system: string;
  /** The conversation without system text; tool calls and results as text. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** True for the vendor's own summarization request. */
  readonly isCompaction: boolean;
  readonly tools: number;
}

/** Figures the vendor is told it used, in tokens. */
export interface ReplyUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/**
 * What the model answers. After so many events of the stream have left, `cut` drops the connection and `stall` sends no more
 * until the client gives up; `hang` never answers.
 */
export type Reply =
  | {
      readonly text: string;
      readonly usage?: ReplyUsage;
      readonly cut?: number;
      readonly stall?: number;
      readonly stopReason?: string;
    }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>>; readonly usage?: ReplyUsage }
  | { readonly status: number; readonly message: string; readonly retryAfter?: number; readonly type?: string }
  | { readonly hang: true };

/** Codex's own record of why it asked: the turn, and for a compaction who triggered it. */
export interface CodexTurn {
  readonly turnId: string;
  readonly kind: string;
  readonly trigger?: string;
}

/** The words a summarization request is known by: Claude Code 2.1.316 and 2.1.332, Codex 0.166.0 and 0.171.0 … */
const compactionPhrases = ['Your task is to create a detailed summary of', 'CONTEXT CHECKPOINT COMPACTION'];
/** … and Pi 1.4.0, 1.5.0 and 1.6.0, which say it in the system prompt. */
const compactionSystem = 'You are a context summarization assistant';

export function toRequest(raw: ChatCompletionRequest, number: number, turn?: CodexTurn): ModelRequest {
  const messages = raw.messages.map(({ role, content, tool_calls }) => ({
    role,
    text: `${contentText(content)}${tool_calls ? JSON.stringify(tool_calls) : ''}`,
  }));
  // A reminder of the vendor's own may stand behind the instruction.
  const ending = messages.slice(-3).flatMap(({ role, text }) => (role === 'assistant' ? [] : [text]));
  const system = messages.flatMap(({ role, text }) => (role === 'system' ? [text] : [])).join('\n');
  return {
    number,
    system,
    messages: messages.filter(({ role }) => role !== 'system'),
    isCompaction:
      turn?.kind === 'compaction' ||
      system.startsWith(compactionSystem) ||
      ending.some((text) => compactionPhrases.some((phrase) => text.includes(phrase))),
    tools: Array.isArray(raw.tools) ? raw.tools.length : 0,
  };
}

export function toCodexTurn(header: string): CodexTurn {
  const said = JSON.parse(header) as { turn_id?: string; request_kind?: string; compaction?: { trigger?: string } };
  const trigger = said.compaction?.trigger;
  return { turnId: said.turn_id ?? '', kind: said.request_kind ?? '', ...(trigger === undefined ? {} : { trigger }) };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('');
}

/** A stalled stream is dropped after ten seconds, so that nothing of it outlives a test. */
export function interruptionOf(reply: Reply): Pick<Fixture, 'truncateAfterChunks' | 'recordedTimings' | 'disconnectAfterMs'> {
  const none = { truncateAfterChunks: undefined, recordedTimings: undefined, disconnectAfterMs: undefined } as object;
  if (!('text' in reply)) return none;
  if (reply.cut !== undefined) return { ...none, truncateAfterChunks: reply.cut + 1, recordedTimings: pace(reply.cut, 1) };
  if (reply.stall === undefined) return none;
  return { ...none, recordedTimings: pace(reply.stall - 1, 0, 60_000), disconnectAfterMs: 10_000 };
}

/** A pause before each event but the first: an event that is followed by a pause has left before the connection is dropped. */
function pace(events: number, pauseMs: number, lastMs = pauseMs): NonNullable<Fixture['recordedTimings']> {
  const interChunkDelaysMs = [...Array.from({ length: events }, () => pauseMs), lastMs];
  return { ttftMs: 0, interChunkDelaysMs, totalDurationMs: 60_000 };
}

export function toResponse(reply: Reply): FixtureResponse {
  if ('hang' in reply) return { error: { message: 'unreachable' }, status: 500 };
  if ('status' in reply) {
    const error = { message: reply.message, type: reply.type ?? (reply.status === 400 ? 'invalid_request_error' : 'api_error') };
    return { error, status: reply.status, ...(reply.retryAfter === undefined ? {} : { retryAfter: reply.retryAfter }) };
  }
  const { inputTokens = 1_000, outputTokens = 50 } = reply.usage ?? {};
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
  };
  if ('tool' in reply) return { toolCalls: [{ name: reply.tool, arguments: JSON.stringify(reply.input) }], usage };
  return { content: reply.text, usage, ...(reply.stopReason === undefined ? {} : { finishReason: reply.stopReason }) };
}
