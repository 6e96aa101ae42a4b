import { toCheckpoint } from './checkpoint.ts';
import { createOpening } from './opening.ts';
import { Rooms } from './rooms.ts';
import type { Session } from './session.ts';
import { GRACE_MS, READ_TIMEOUT_MS, type SessionSetup, toLogOpened } from './session-setup.ts';

/** Wires one backend into a Session; resolves once the native side has opened it, and leaves nothing behind if it does not. */
export async function openSession<In, Out, S, F>(setup: SessionSetup<In, Out, S, F>): Promise<Session> {
  const rooms = new Rooms(setup);
  const opening = createOpening(rooms.clock, setup.readTimeoutMs ?? READ_TIMEOUT_MS, setup.isResume ?? false, setup.signal);
  rooms.opening = opening;
  const session = toSession(rooms);
  rooms.publish(toLogOpened(setup));
  rooms.loop.start();
  try {
    await opening.done;
  } catch (error) {
    await session.dispose();
    throw error;
  }
  rooms.opening = undefined;
  return session;
}

/** What a host holds of the rooms. Its members stand for themselves: a host may take one out, or wrap the whole. */
function toSession<In, Out, S, F>(rooms: Rooms<In, Out, S, F>): Session {
  const { id, setup, journal, loop, inputs, control, aborts, listeners, frames } = rooms;
  let disposal: Promise<void> | undefined;
  const dispose = async () => {
    loop.end('disposed');
    await setup.wire.close(setup.graceMs ?? GRACE_MS);
    rooms.closeLog('disposed');
  };
  const session: Session = {
    id,
    runtime: setup.runtime,
    get nativeId() {
      return journal.view.statusState.nativeId;
    },
    get vendorVersion() {
      return journal.view.statusState.vendorVersion;
    },
    get promptChange() {
      return setup.promptChange(journal.view.statusState.vendorVersion, loop.state);
    },
    send: (input) => inputs.send(input),
    compact: (options) => control.compact(options),
    abort: () => aborts.abort(),
    status: () => rooms.status(),
    checkpoint: () => toCheckpoint(setup.runtime, journal.log.cursor(), journal.view),
    records: (after, options) => journal.log.read(after, options?.required === true),
    on: (event, listener) => listeners.on(event, listener),
    frame: (number) => frames.frame(number),
    dispose: () => (disposal ??= dispose()),
    [Symbol.asyncDispose]: () => session.dispose(),
  };
  return session;
}
