import { type Redactor, thrownText, type Wire } from '@native-compaction/core';
import { createTap, type JsonObject, type Tap, toVendorProcess } from '@native-compaction/transport';
import type { PiIn, PiOut } from '../frames.ts';
import { present } from '../present.ts';
import { createCalls } from './calls.ts';
import { watchDisposal } from './disposal.ts';
import { toFrame } from './frames.ts';
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
  const early: JsonObject[] = [];
  let on: Parameters<Wire<PiIn, PiOut>['start']>[0] | undefined;
  let isClosing = false;
  let hasEnded = false;
  let isInsideEnd = false;

  const receive = (frame: JsonObject) => {
    if (hasEnded) return;
    if (!on) return void early.push(frame);
    record('in', frame);
    on.frame(frame, 0);
  };
  const calls = createCalls({ native, receive, isOver: () => hasEnded || (isClosing && isOwned) });

  /** Inside its own `agent_settled` Pi puts a prompt off, and runs what extensions put off before it first (1.4.0 to 1.6.0). */
  const waitForMore = () => {
    if (isInsideEnd) return;
    isInsideEnd = true;
    setImmediate(() => {
      isInsideEnd = false;
      if (!hasEnded) on?.read?.();
    });
  };
  // A listener that throws would break Pi's session for everybody (1.4.0 to 1.6.0).
  const unsubscribe = native.subscribe((event) => {
    try {
      if (event.type === 'agent_settled' || event.type === 'compaction_end') waitForMore();
      receive(toFrame(event));
    } catch (error) {
      process.emitWarning(`A Pi event could not be handled: ${redactor.error(thrownText(error))}`, {
        code: 'NATIVE_COMPACTION_PI',
      });
    }
  });

  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    record('end', {});
    on?.end('process_exit', {});
  };
  const unwatch = watchDisposal(native, () => void (isClosing || end()));

  return {
    process: toVendorProcess(process.pid),
    receive,
    start(handlers) {
      on = handlers;
      for (const frame of early.splice(0)) receive(frame);
      if (hasEnded) handlers.end('process_exit', {});
    },
    hasUnread: () => isInsideEnd,
    write(frame) {
      if (isClosing || hasEnded) return;
      record('out', frame);
      calls.carryOut(frame);
    },
    pause: () => undefined,
    resume: () => undefined,
    async close(graceMs) {
      if (isClosing) return;
      isClosing = true;
      unsubscribe();
      unwatch();
      if (isOwned) {
        native.dispose();
        await settledWithin([...calls.outstanding], graceMs);
      }
      end();
    },
  };
}

async function settledWithin(promises: readonly Promise<void>[], ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([Promise.all(promises), timeout.promise]);
  clearTimeout(timer);
}
