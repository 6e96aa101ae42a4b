import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
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
import { type RawStream, toStreamText } from './model-streams.ts';

/** Decides the reply to each request; a promise holds the response until it resolves. */
export type Script = (request: ModelRequest) => Reply | Promise<Reply>;

export interface ModelServerOptions {
  /** Knows the summarization request of a vendor that is not known here. */
  readonly isCompaction?: (request: ModelRequest) => boolean | undefined;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, on a free port. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** What Codex says of each request in its own header, in the order of arrival; empty for other vendors. */
  readonly codexTurns: readonly CodexTurn[];
  /** Replaces the script from the next request on. */
  script(script: Script): void;
  /** The next requests get these streams, one each, and the script is not asked. */
  stream(...streams: readonly RawStream[]): void;
  /** Resolves when the next of those streams is asked for. */
  streamAsked(): Promise<void>;
  /** Resolves with the next request that fits, at the moment the provider is asked; one that already came does not count. */
  next(fits?: (request: ModelRequest) => boolean): Promise<ModelRequest>;
  close(): Promise<void>;
}

/** A summary each vendor takes; used where a script does not say otherwise. */
export const DEFAULT_SUMMARY = '<analysis>brief</analysis>\n<summary>\nSUMMARY-OF-THE-CONVERSATION\n</summary>';

/** Answers prompts with `REPLY-n` and summarization requests with a summary. */
export const defaultScript: Script = (request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : `REPLY-${request.number}` });

/** Starts a loopback model that speaks the vendors' streaming protocols. It makes no request of its own. */
export async function openModelServer(
  script: Script = defaultScript,
  { isCompaction }: ModelServerOptions = {},
): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 64 });
  const requests: ModelRequest[] = [];
  const waiting: { fits: (request: ModelRequest) => boolean; resolve: (request: ModelRequest) => void }[] = [];
  const closing = Promise.withResolvers<Reply>();
  const codexTurns: CodexTurn[] = [];
  /** What Codex said in the header of the request that is being answered. */
  const said = new AsyncLocalStorage<CodexTurn>();
  let current = script;
  let stopped: Promise<void> | undefined;

  const ask = async (raw: ChatCompletionRequest): Promise<Reply> => {
    const known = toRequest(raw, requests.length + 1, said.getStore());
    const request = isCompaction?.(known) ? { ...known, isCompaction: true } : known;
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
  let streams: readonly RawStream[] = [];
  let streamAsked = Promise.withResolvers<void>();
  const answerRaw = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const header = request.headers['x-codex-turn-metadata'];
    if (typeof header === 'string') {
      const turn = toCodexTurn(header);
      codexTurns.push(turn);
      said.enterWith(turn); // the body is read behind this, and the script is asked then
    }
    const [stream, ...rest] = streams;
    if (!stream || request.method !== 'POST') return false;
    streams = rest;
    request.resume();
    streamAsked.resolve();
    streamAsked = Promise.withResolvers<void>();
    await Promise.race([stream.after, closing.promise]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(toStreamText(stream.events));
    return true;
  };
  // Codex falls back to plain requests at once where the upgrade to a web socket is refused so.
  const handleUpgrade = (socket: Duplex): Promise<boolean> => {
    socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n');
    return Promise.resolve(true);
  };
  mock.mount('/v1/responses', { handleRequest: answerRaw, handleUpgrade });
  mock.mount('/v1/messages', { handleRequest: answerRaw });
  await mock.start();

  return {
    url: mock.url,
    requests,
    codexTurns,
    script(next) {
      current = next;
    },
    stream(...next) {
      streams = next;
    },
    streamAsked: () => streamAsked.promise,
    next: (fits = () => true) => new Promise((resolve) => waiting.push({ fits, resolve })),
    async close() {
      closing.resolve({ status: 503, message: 'The model server is closing.' });
      stopped ??= mock.stop();
      await stopped;
    },
  };
}
