import { EventEmitter } from 'eventemitter3';
import { NativeCompactionError, thrownText } from './errors.ts';
import type { SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import type { SessionEvents } from './session.ts';
import type { AgentStatus } from './status.ts';

const events: ReadonlySet<string> = new Set<keyof SessionEvents>(['record', 'status', 'closed']);

/** What the listeners need from their neighbours. */
export interface ListenerDeps {
  readonly redactor: Redactor;
  status(): AgentStatus;
}

/** `session.on`: records as they come, the status when it changed. A listener that throws is warned of and stops nothing. */
export class Listeners {
  readonly #emitter = new EventEmitter<SessionEvents>();
  readonly #deps: ListenerDeps;
  readonly #fresh: SessionRecord[] = [];
  #shown = '';

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  on<E extends keyof SessionEvents>(event: E, listener: SessionEvents[E]): Disposable {
    if (!events.has(event)) {
      const message = `on(): there is no event "${event}"; there are ${[...events].join(', ')}.`;
      throw new NativeCompactionError('invalid_options', message);
    }
    if (typeof listener !== 'function')
      throw new NativeCompactionError('invalid_options', `on(): the listener of "${event}" must be a function.`);
    this.#emitter.on(event, listener as never);
    return { [Symbol.dispose]: () => void this.#emitter.off(event, listener as never) };
  }

  /** Keeps a record until `deliver`, so that user code never runs inside a half-done step. */
  add(record: SessionRecord): void {
    if (this.#emitter.listenerCount('record') > 0) this.#fresh.push(record);
  }

  deliver(): void {
    for (let record = this.#fresh.shift(); record; record = this.#fresh.shift()) this.#call('record', record);
    if (this.#emitter.listenerCount('status') === 0) return;
    const value = this.#deps.status();
    const text = JSON.stringify(value);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#call('status', value);
  }

  /** Delivers what is left, says `closed` and forgets every listener. */
  close(): void {
    this.deliver();
    this.#call('closed');
    this.#emitter.removeAllListeners();
  }

  #call(event: keyof SessionEvents, value?: SessionRecord | AgentStatus): void {
    // A copy: a listener may add or remove others.
    for (const listener of this.#emitter.listeners(event)) {
      try {
        const returned = (listener as (value: unknown) => unknown)(value);
        if (returned instanceof Promise) returned.catch((error) => this.#warn(event, error));
      } catch (error) {
        this.#warn(event, error);
      }
    }
  }

  #warn(event: keyof SessionEvents, error: unknown): void {
    const message = `A "${event}" listener of a session threw: ${this.#deps.redactor.message(thrownText(error))}`;
    process.emitWarning(message, { code: 'NATIVE_COMPACTION_LISTENER' });
  }
}
