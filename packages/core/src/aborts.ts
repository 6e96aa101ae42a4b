import type { Clock } from './clock.ts';
import type { Loop } from './loop.ts';
import type { Machine, Step } from './machine.ts';

/** How long `abort()` waits, and how long a cancel that was written waits for its answer (C5). It affects no result and no slot. */
const CANCEL_ANSWER_MS = 5_000;

export interface Aborts<Out, S> {
  abort(): Promise<void>;
  /** Writes a kept cancel the moment it has a target; drops it when nothing is left to cancel (C1). */
  advance(): void;
  onStep(step: Step<S, Out>): void;
  end(): void;
  /** True while a cancel is kept or unanswered. */
  readonly isPending: boolean;
}

export interface AbortDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: () => Loop<Out, S>;
  readonly clock: Clock;
  /** Refuses a control that was not dispatched (R11); true if there was one. */
  readonly withdraw: () => boolean;
  readonly isDispatched: () => boolean;
  /** Tells open permission questions that their turn is being cancelled (T8). */
  readonly onAbort: () => void;
  readonly newId: () => string;
}

interface Pending {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly stops: (() => void)[];
  id?: string;
}

export function createAborts<In, Out, S, F>(deps: AbortDeps<In, Out, S, F>): Aborts<Out, S> {
  const { machine, clock } = deps;
  let pending: Pending | undefined;

  const hasTarget = () => {
    if (deps.isDispatched()) return true;
    const busy = machine.busy(deps.loop().state);
    return busy === 'busy_turn' || busy === 'busy_compaction';
  };
  const finish = () => {
    for (const stop of pending?.stops ?? []) stop();
    pending?.resolve();
    pending = undefined;
  };

  return {
    abort() {
      if (deps.withdraw() || deps.loop().isEnded) return Promise.resolve();
      if (pending) return pending.done;
      if (!hasTarget()) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const bound = clock.after(CANCEL_ANSWER_MS, resolve); // a cancel that still waits for its target is kept all the same
      pending = { done: promise, resolve, stops: [bound.cancel] };
      deps.onAbort();
      deps.loop().host({ ask: 'abort' });
      return promise;
    },
    advance() {
      if (!pending || pending.id !== undefined) return;
      if (!hasTarget()) return finish();
      const id = deps.newId();
      const frame = machine.cancel(deps.loop().state, id);
      if (frame === undefined) return;
      pending.id = id;
      pending.stops.push(clock.after(CANCEL_ANSWER_MS, finish).cancel);
      deps.loop().write({ frame, ref: { kind: 'cancel', id } });
    },
    onStep(step) {
      if (pending?.id !== undefined && step.answered?.includes(pending.id)) finish();
    },
    end: finish,
    get isPending() {
      return pending !== undefined;
    },
  };
}
