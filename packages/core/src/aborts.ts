import type { Clock } from './clock.ts';
import type { Loop } from './loop.ts';
import type { Machine, Step } from './machine.ts';

/** How long `abort()` waits, and how long a cancel that was written waits for its answer (C5). It affects no result and no slot. */
const CANCEL_ANSWER_MS = 5_000;

/** What the cancels need from their neighbours. */
export interface AbortDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: Loop<In, Out, S, F>;
  readonly clock: Clock;
  /** Refuses a control that was not dispatched (R11); true if there was one. */
  withdraw(): boolean;
  isDispatched(): boolean;
  /** Tells open permission questions that their turn is being cancelled (T8). */
  onAbort(): void;
}

interface Pending {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly stops: (() => void)[];
  id?: string;
}

/** One `abort()` at a time, from the asking to the native answer. */
export class Aborts<In, Out, S, F> {
  readonly #deps: AbortDeps<In, Out, S, F>;
  #pending: Pending | undefined;

  constructor(deps: AbortDeps<In, Out, S, F>) {
    this.#deps = deps;
  }

  /** True while a cancel is kept or unanswered. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  abort(): Promise<void> {
    const { loop, clock } = this.#deps;
    if (this.#deps.withdraw() || loop.isEnded) return Promise.resolve();
    if (this.#pending) return this.#pending.done;
    if (!this.#hasTarget()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const pending: Pending = { done: promise, resolve, stops: [] };
    this.#pending = pending;
    this.#deps.onAbort();
    loop.host({ ask: 'abort' });
    // A cancel that still waits for its target is kept all the same; one that was written has its own bound.
    if (this.#pending === pending && pending.id === undefined) pending.stops.push(clock.after(CANCEL_ANSWER_MS, resolve).cancel);
    return promise;
  }

  /** Writes a kept cancel the moment it has a target; drops it when nothing is left to cancel (C1). */
  advance(): void {
    const { machine, loop, clock } = this.#deps;
    if (!this.#pending || this.#pending.id !== undefined) return;
    if (!this.#hasTarget()) return void this.end();
    const id = crypto.randomUUID();
    const frame = machine.cancel(loop.state, id);
    if (frame === undefined) return;
    this.#pending.id = id;
    this.#pending.stops.push(clock.after(CANCEL_ANSWER_MS, () => this.end()).cancel);
    loop.write({ frame, ref: { kind: 'cancel', id } });
  }

  onStep({ answered }: Step<S, Out>): void {
    const id = this.#pending?.id;
    if (id !== undefined && answered?.includes(id)) this.end();
  }

  /** Nothing is to be cancelled any more, or it was answered. */
  end(): void {
    for (const stop of this.#pending?.stops ?? []) stop();
    this.#pending?.resolve();
    this.#pending = undefined;
  }

  #hasTarget(): boolean {
    const { machine, loop } = this.#deps;
    if (this.#deps.isDispatched()) return true;
    const busy = machine.busy(loop.state);
    return busy === 'busy_turn' || busy === 'busy_compaction';
  }
}
