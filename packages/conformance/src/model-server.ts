import { type ChatCompletionRequest, type Fixture, LLMock } from '@copilotkit/aimock';
import {
  type CodexTurn,
  interruptionOf,
  type ModelRequest,
  type Reply,
  toCodexTurn,
  toRequest,
  toResponse,
} from './model-messages.ts';

/** Decides the reply to each request; a promise holds the response until it resolves. */
export type Script = (request: ModelRequest) => Reply | Promise<Reply>;

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
