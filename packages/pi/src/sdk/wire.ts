import type { Redactor, Wire } from '@native-compaction/core';
import { createTap, type JsonObject, type Tap, text, toVendorProcess } from '@native-compaction/transport';
import type { PiIn, PiOut } from '../frames.ts';
import { present } from '../present.ts';
import { answerFrame, failureFrame, toFrame } from './frames.ts';
import type { PiAgentSession } from './native.ts';

export interface SdkWireOptions {
  readonly native: PiAgentSession;
  /** True for a session that this runtime made, which it also disposes. */
  readonly isOwned: boolean;
  readonly redactor: Redactor;
  readonly tap: Tap | undefined;
}

/** A wire whose commands are calls of the host's own Pi, and whose answers are the promises of them. */
export interface SdkWire extends Wire<PiIn, PiOut> {
  /** A frame that comes neither from an event nor from a promise, such as the error of an extension. */
  receive(frame: JsonObject): void;
}

/** Subscribes to a session. Nothing of ours is thrown into Pi, and after `close` nothing of Pi is called. */
export function connectSession({ native, isOwned, redactor, tap }: SdkWireOptions): SdkWire {
  const record = createTap(tap, redactor, process.pid, present);
  const outstanding = new Set<Promise<void>>();
  const early: JsonObject[] = [];
  let on: Parameters<Wire<PiIn, PiOut>['start']>[0] | undefined;
  let isClosing = false;
  let hasEnded = false;

  const receive = (frame: JsonObject) => {
    if (hasEnded) return;
    if (!on) return void early.push(frame);
    record('in', frame);
    on.frame(frame, 0);
  };
  // A listener that throws would break Pi's session for everybody (1.4.0 to 1.6.0).
  const unsubscribe = native.subscribe((event) => {
    try {
      receive(toFrame(event));
    } catch (error) {
      process.emitWarning(`A Pi event could not be handled: ${redactor.error(String(error))}`, { code: 'NATIVE_COMPACTION_PI' });
    }
  });

  /** Carries a call out and lets its promise come back as a frame; it is observed for good, whoever still listens. */
  const call = (id: unknown, command: string, run: () => Promise<unknown>) => {
    const answered = new Promise<unknown>((resolve) => resolve(run())).then(
      (data) => receive(answerFrame(id, command, data)),
      (error: unknown) => receive(failureFrame(id, command, error)),
    );
    const watched = answered.catch(() => undefined).then(() => void outstanding.delete(watched));
    outstanding.add(watched);
  };

  const prompt = (id: unknown, message: string) => {
    let hasAnswer = false;
    const answer = (frame: JsonObject) => {
      if (hasAnswer) return;
      hasAnswer = true;
      receive(frame);
    };
    const preflightResult = (disposition: string) => answer(answerFrame(id, 'prompt', { disposition }));
    const isOver = new Promise<void>((resolve) => resolve(native.prompt(message, { source: 'rpc', preflightResult })));
    isOver
      .then(
        () => answer(answerFrame(id, 'prompt', { disposition: 'handled' })),
        (error: unknown) => answer(failureFrame(id, 'prompt', error)),
      )
      .catch(() => undefined);
  };

  const isCompactingOurs = () => compactions > 0;
  let compactions = 0;
  const compact = async (instructions: string | undefined) => {
    compactions += 1;
    try {
      return await native.compact(instructions);
    } finally {
      compactions -= 1;
    }
  };
  const abort = async () => {
    if (isCompactingOurs()) native.abortCompaction();
    else await native.abort();
  };

  return {
    process: toVendorProcess(process.pid),
    receive,
    start(handlers) {
      on = handlers;
      for (const frame of early.splice(0)) receive(frame);
    },
    write(frame) {
      if (isClosing) return;
      record('out', frame);
      const { id, type } = frame;
      const later = (run: () => void) => () => void (isClosing || run());
      // A macrotask later, so that a compaction that the host has just asked for has begun by then.
      if (type === 'get_state') setImmediate(later(() => receive(answerFrame(id, type, stateOf(native)))));
      // Inside its own `agent_settled` Pi would put the prompt off and lose its answer (1.4.0 to 1.6.0).
      if (type === 'prompt') queueMicrotask(later(() => prompt(id, text(frame.message) ?? '')));
      if (type === 'compact') call(id, type, () => compact(text(frame.customInstructions)));
      if (type === 'abort') call(id, type, abort);
    },
    pause: () => undefined,
    resume: () => undefined,
    async close(graceMs) {
      if (isClosing) return;
      isClosing = true;
      unsubscribe();
      if (isOwned) {
        native.dispose();
        await settledWithin([...outstanding], graceMs);
      }
      hasEnded = true;
      record('end', {});
      on?.end('process_exit', {});
    },
  };
}

function stateOf(native: PiAgentSession) {
  return {
    sessionId: native.sessionId,
    isIdle: native.isIdle,
    isStreaming: native.isStreaming,
    isCompacting: native.isCompacting,
    isBashRunning: native.isBashRunning,
    pendingMessageCount: native.pendingMessageCount,
    leafId: native.sessionManager.getLeafId() ?? undefined,
  };
}

async function settledWithin(promises: readonly Promise<void>[], ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([Promise.all(promises), timeout.promise]);
  clearTimeout(timer);
}
