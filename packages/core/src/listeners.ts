import { EventEmitter } from 'eventemitter3';
import { NativeCompactionError, thrownText } from './errors.ts';
import type { SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import type { Session, SessionEvents } from './session.ts';
import type { AgentStatus } from './status.ts';

const events: ReadonlySet<string> = new Set<keyof SessionEvents>(['record', 'status', 'closed']);

export interface Listeners {
  readonly on: Session['on'];
  /** Keeps a record until `deliver`, so that user code never runs inside a half-done step. */
  add(record: SessionRecord): void;
  deliver(): void;
  /** Delivers what is left, says `closed` and forgets every listener. */
  close(): void;
}

/** `session.on`: records as they come, the status when it changed. A listener that throws is warned of and stops nothing. */
export function createListeners(redactor: Redactor, status: () => AgentStatus): Listeners {
  const emitter = new EventEmitter<SessionEvents>();
  const fresh: SessionRecord[] = [];
  let shown = '';

  const warn = (event: keyof SessionEvents, error: unknown) => {
    const message = `A "${event}" listener of a session threw: ${redactor.message(thrownText(error))}`;
    process.emitWarning(message, { code: 'NATIVE_COMPACTION_LISTENER' });
  };
  const call = (event: keyof SessionEvents, value?: SessionRecord | AgentStatus) => {
    // A copy: a listener may add or remove others.
    for (const listener of emitter.listeners(event)) {
      try {
        const returned = (listener as (value: unknown) => unknown)(value);
        if (returned instanceof Promise) returned.catch((error) => warn(event, error));
      } catch (error) {
        warn(event, error);
      }
    }
  };

  const deliver = () => {
    for (let record = fresh.shift(); record; record = fresh.shift()) call('record', record);
    if (emitter.listenerCount('status') === 0) return;
    const value = status();
    const text = JSON.stringify(value);
    if (text === shown) return;
    shown = text;
    call('status', value);
  };

  return {
    on(event, listener) {
      if (!events.has(event)) {
        throw new NativeCompactionError(
          'invalid_options',
          `on(): there is no event "${event}"; there are ${[...events].join(', ')}.`,
        );
      }
      if (typeof listener !== 'function')
        throw new NativeCompactionError('invalid_options', `on(): the listener of "${event}" must be a function.`);
      emitter.on(event, listener as never);
      return { [Symbol.dispose]: () => void emitter.off(event, listener as never) };
    },
    add(record) {
      if (emitter.listenerCount('record') > 0) fresh.push(record);
    },
    deliver,
    close() {
      deliver();
      call('closed');
      emitter.removeAllListeners();
    },
  };
}
