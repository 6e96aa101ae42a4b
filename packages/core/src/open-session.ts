import type { PromptChange, RuntimeId } from './capability.ts';
import { type Checkpoint, toCheckpoint } from './checkpoint.ts';
import type { CompactOptions } from './compact-options.ts';
import type { CompactionResult } from './compact-result.ts';
import { createOpening } from './opening.ts';
import type { SessionRecord } from './record.ts';
import { Rooms } from './rooms.ts';
import type { Cursor, Frame, Input, InputHandle, Session, SessionEvents } from './session.ts';
import { READ_TIMEOUT_MS, type SessionSetup, toLogOpened } from './session-setup.ts';
import type { AgentStatus } from './status.ts';

/** Wires one backend into a Session; resolves once the native side has opened it, and leaves nothing behind if it does not. */
export async function openSession<In, Out, S, F>(setup: SessionSetup<In, Out, S, F>): Promise<Session> {
  const rooms = new Rooms(setup);
  const opening = createOpening(rooms.clock, setup.readTimeoutMs ?? READ_TIMEOUT_MS, setup.isResume ?? false, setup.signal);
  rooms.opening = opening;
  rooms.publish(toLogOpened(setup));
  rooms.loop.start();
  try {
    await opening.done;
  } catch (error) {
    await rooms.dispose();
    throw error;
  }
  rooms.opening = undefined;
  return new OpenedSession(rooms);
}

/** What a host holds of the rooms: a door to each, and nothing of its own. */
class OpenedSession<In, Out, S, F> implements Session {
  readonly #rooms: Rooms<In, Out, S, F>;

  constructor(rooms: Rooms<In, Out, S, F>) {
    this.#rooms = rooms;
  }

  get id(): string {
    return this.#rooms.id;
  }

  get runtime(): RuntimeId {
    return this.#rooms.setup.runtime;
  }

  get nativeId(): string | undefined {
    return this.#rooms.journal.view.statusState.nativeId;
  }

  get vendorVersion(): string | undefined {
    return this.#rooms.journal.view.statusState.vendorVersion;
  }

  get promptChange(): PromptChange {
    return this.#rooms.setup.promptChange(this.vendorVersion, this.#rooms.loop.state);
  }

  send(input: Input): InputHandle {
    return this.#rooms.inputs.send(input);
  }

  compact(options?: CompactOptions): Promise<CompactionResult> {
    return this.#rooms.control.compact(options);
  }

  abort(): Promise<void> {
    return this.#rooms.aborts.abort();
  }

  status(): AgentStatus {
    return this.#rooms.status();
  }

  checkpoint(): Checkpoint {
    const { setup, journal } = this.#rooms;
    return toCheckpoint(setup.runtime, journal.log.cursor(), journal.view);
  }

  records(after?: Cursor, options?: { readonly required?: boolean }): AsyncIterable<SessionRecord> {
    return this.#rooms.journal.log.read(after, options?.required === true);
  }

  on<E extends keyof SessionEvents>(event: E, listener: SessionEvents[E]): Disposable {
    return this.#rooms.listeners.on(event, listener);
  }

  frame(number: number): Frame | undefined {
    return this.#rooms.frames.frame(number);
  }

  dispose(): Promise<void> {
    return this.#rooms.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
