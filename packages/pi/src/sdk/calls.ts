import { type JsonObject, text } from '@native-compaction/transport';
import type { PiOut } from '../frames.ts';
import { answerFrame, failureFrame, promptSettledFrame } from './frames.ts';
import type { PiAgentSession } from './native.ts';

export interface CallsOptions {
  readonly native: PiAgentSession;
  readonly receive: (frame: JsonObject) => void;
  /** True once a prompt that Pi has not begun must not begin any more. */
  readonly isOver: () => boolean;
}

export interface Calls {
  carryOut(frame: PiOut): void;
  /** Promises of Pi that are still open. */
  readonly outstanding: ReadonlySet<Promise<void>>;
}

/** RPC commands carried out by calling the session; every promise comes back as a frame, and is observed for good. */
export function createCalls({ native, receive, isOver }: CallsOptions): Calls {
  const outstanding = new Set<Promise<void>>();
  let compactions = 0;

  const watch = (run: () => Promise<unknown>, onDone: (data: unknown) => void, onError: (error: unknown) => void) => {
    const answered = new Promise<unknown>((resolve) => resolve(run())).then(onDone, onError);
    const watched = answered.catch(() => undefined).then(() => void outstanding.delete(watched));
    outstanding.add(watched);
  };
  const call = (id: unknown, command: string, run: () => Promise<unknown>) =>
    watch(
      run,
      (data) => receive(answerFrame(id, command, data)),
      (error) => receive(failureFrame(id, command, error)),
    );

  const prompt = (id: unknown, message: string) => {
    let hasAnswer = false;
    const preflightResult = (disposition: string) => {
      if (isOver()) throw new Error('The session was closed before Pi began this prompt.');
      hasAnswer = true;
      receive(answerFrame(id, 'prompt', { disposition }));
    };
    const over = (isSuccess: boolean) => void (isOver() || receive(promptSettledFrame(id, isSuccess, isLooping(native))));
    watch(
      () => native.prompt(message, { source: 'rpc', preflightResult }),
      // Without an answer Pi has put it off, until it is out of its own `agent_settled` (1.4.0 to 1.6.0).
      () => void (hasAnswer && over(true)),
      (error) => (hasAnswer ? over(false) : receive(failureFrame(id, 'prompt', error))),
    );
  };
  const compact = async (instructions: string | undefined) => {
    compactions += 1;
    try {
      return await native.compact(instructions);
    } finally {
      compactions -= 1;
    }
  };
  const abort = async () => {
    if (compactions > 0) native.abortCompaction();
    else await native.abort();
  };
  const state = (id: unknown) => {
    try {
      receive(answerFrame(id, 'get_state', stateOf(native)));
    } catch (error) {
      receive(failureFrame(id, 'get_state', error));
    }
  };

  return {
    carryOut(frame) {
      const { id, type } = frame;
      // A macrotask later, so that a compaction that the host has just asked for has begun by then.
      if (type === 'get_state') setImmediate(() => void (isOver() || state(id)));
      if (type === 'prompt') prompt(id, text(frame.message) ?? '');
      if (type === 'compact') call(id, type, () => compact(text(frame.customInstructions)));
      if (type === 'abort') call(id, type, abort);
    },
    outstanding,
  };
}

function isLooping({ agent }: PiAgentSession): boolean {
  return agent?.state?.isStreaming === true;
}

function stateOf(native: PiAgentSession) {
  return {
    sessionId: native.sessionId,
    isIdle: native.isIdle,
    isStreaming: native.isStreaming,
    isCompacting: native.isCompacting,
    isBashRunning: native.isBashRunning,
    isLooping: native.agent?.state ? isLooping(native) : undefined,
    pendingMessageCount: native.pendingMessageCount,
    leafId: native.sessionManager.getLeafId() ?? undefined,
    model: { compat: native.model?.compat },
  };
}
