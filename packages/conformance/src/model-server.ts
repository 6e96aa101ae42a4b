import { type ChatCompletionRequest, type Fixture, type FixtureResponse, LLMock } from '@copilotkit/aimock';

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
 * What the model answers. After so many events of the stream, `cut` drops the connection and `stall` sends no more until the
 * client gives up; `hang` never answers.
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
  | { readonly status: number; readonly message: string; readonly retryAfter?: number }
  | { readonly hang: true };

/** Decides the reply to each request; a promise holds the response until it resolves. */
export type Script = (request: ModelRequest) => Reply | Promise<Reply>;

/** Codex's own record of why it asked: the turn, and for a compaction who triggered it. */
export interface CodexTurn {
  readonly turnId: string;
  readonly kind: string;
  readonly trigger?: string;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, on a free port. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** What Codex says of each request in its own header, in the order of arrival; empty for other vendors. */
  readonly codexTurns: readonly CodexTurn[];
  /** Replaces the script from the next request on. */
  script(script: Script): void;
  /**
   * The next `times` requests get a stream that breaks, and the script is not asked: one error event with `message`, or a
   * beginning and a clean end without it. Messages protocol only.
   */
  breakStreams(times: number, message?: string): void;
  /** Resolves with the next request that fits, at the moment the provider is asked; one that already came does not count. */
  next(fits?: (request: ModelRequest) => boolean): Promise<ModelRequest>;
  close(): Promise<void>;
}

/** A summary each vendor takes; used where a script does not say otherwise. */
export const DEFAULT_SUMMARY = '<analysis>brief</analysis>\n<summary>\nSUMMARY-OF-THE-CONVERSATION\n</summary>';

/** Answers prompts with `REPLY-n` and summarization requests with a summary. */
export const defaultScript: Script = (request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : `REPLY-${request.number}` });

/** Starts a loopback model that speaks the vendors' streaming protocols. It makes no request of its own. */
export async function openModelServer(script: Script = defaultScript): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 64 });
  const requests: ModelRequest[] = [];
  const waiting: { fits: (request: ModelRequest) => boolean; resolve: (request: ModelRequest) => void }[] = [];
  const closing = Promise.withResolvers<Reply>();
  let current = script;
  let stopped: Promise<void> | undefined;

  const ask = async (raw: ChatCompletionRequest): Promise<Reply> => {
    const request = toRequest(raw, requests.length + 1);
    requests.push(request);
    for (const waiter of [...waiting]) {
      if (!waiter.fits(request)) continue;
      waiting.splice(waiting.indexOf(waiter), 1);
      waiter.resolve(request);
    }
    const reply = await Promise.race([current(request), closing.promise]);
    return 'hang' in reply ? closing.promise : reply;
  };

  const fixture: Fixture = {
    match: {},
    async response(raw) {
      const reply = await ask(raw);
      // aimock reads the interruption off the fixture right after this reply, in the same turn.
      Object.assign(fixture, interruptionOf(reply));
      return toResponse(reply);
    },
  };
  mock.addFixture(fixture);
  let brokenStreams: (string | undefined)[] = [];
  const codexTurns: CodexTurn[] = [];
  mock.mount('/v1/responses', {
    handleRequest(request) {
      const header = request.headers['x-codex-turn-metadata'];
      if (typeof header === 'string') codexTurns.push(toCodexTurn(header));
      return Promise.resolve(false);
    },
  });
  mock.mount('/v1/messages', {
    handleRequest(_request, response) {
      if (brokenStreams.length === 0) return Promise.resolve(false);
      const message = brokenStreams.shift();
      const usage = { input_tokens: 1, output_tokens: 1 };
      const half = [
        {
          type: 'message_start',
          message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '<summary>half' } },
      ];
      const error = { type: 'error', error: { type: 'api_error', message } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        (message === undefined ? half : [error])
          .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
          .join(''),
      );
      return Promise.resolve(true);
    },
  });
  await mock.start();

  return {
    url: mock.url,
    requests,
    codexTurns,
    script(next) {
      current = next;
    },
    breakStreams(times, message) {
      brokenStreams = Array.from({ length: times }, () => message);
    },
    next: (fits = () => true) => new Promise((resolve) => waiting.push({ fits, resolve })),
    async close() {
      closing.resolve({ status: 503, message: 'The model server is closing.' });
      stopped ??= mock.stop();
      await stopped;
    },
  };
}

/** The words each vendor's summarization request is known by: Claude Code 2.1.316 and 2.1.332, Codex 0.166.0 and 0.171.0. */
const compactionPhrases = ['Your task is to create a detailed summary of', 'CONTEXT CHECKPOINT COMPACTION'];

function toRequest(raw: ChatCompletionRequest, number: number): ModelRequest {
  const messages = raw.messages.map(({ role, content, tool_calls }) => ({
    role,
    text: `${contentText(content)}${tool_calls ? JSON.stringify(tool_calls) : ''}`,
  }));
  // A reminder of the vendor's own may stand behind the instruction.
  const ending = messages.slice(-3).flatMap(({ role, text }) => (role === 'assistant' ? [] : [text]));
  return {
    number,
    system: messages.flatMap(({ role, text }) => (role === 'system' ? [text] : [])).join('\n'),
    messages: messages.filter(({ role }) => role !== 'system'),
    isCompaction: ending.some((text) => compactionPhrases.some((phrase) => text.includes(phrase))),
    tools: Array.isArray(raw.tools) ? raw.tools.length : 0,
  };
}

function toCodexTurn(header: string): CodexTurn {
  const said = JSON.parse(header) as { turn_id?: string; request_kind?: string; compaction?: { trigger?: string } };
  const trigger = said.compaction?.trigger;
  return { turnId: said.turn_id ?? '', kind: said.request_kind ?? '', ...(trigger === undefined ? {} : { trigger }) };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('');
}

/** A stalled stream is dropped after half a minute, so that nothing of it outlives a test. */
function interruptionOf(reply: Reply): Pick<Fixture, 'truncateAfterChunks' | 'recordedTimings' | 'disconnectAfterMs'> {
  const none = { truncateAfterChunks: undefined, recordedTimings: undefined, disconnectAfterMs: undefined } as object;
  if (!('text' in reply)) return none;
  if (reply.cut !== undefined) return { ...none, truncateAfterChunks: reply.cut };
  if (reply.stall === undefined) return none;
  const interChunkDelaysMs = [...Array.from({ length: reply.stall - 1 }, () => 0), 60_000];
  return { ...none, recordedTimings: { ttftMs: 0, interChunkDelaysMs, totalDurationMs: 60_000 }, disconnectAfterMs: 30_000 };
}

function toResponse(reply: Reply): FixtureResponse {
  if ('hang' in reply) return { error: { message: 'unreachable' }, status: 500 };
  if ('status' in reply) {
    const error = { message: reply.message, type: reply.status === 400 ? 'invalid_request_error' : 'api_error' };
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
