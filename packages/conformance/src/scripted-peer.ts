import { type Clock, createRedactor, openSession, type Redactor, type Session, type SessionSetup } from '@native-compaction/core';
import { createLinkedPair, type Peer } from '@native-compaction/transport';

/** A clock that stands still until it is told how much time has passed. */
export interface TestClock extends Clock {
  pass(ms: number): void;
}

export function createTestClock(): TestClock {
  let now = 1_000;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    pass(ms) {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.run();
      }
    },
  };
}

export interface Scripted<In, Out> {
  readonly session: Session;
  readonly peer: Peer<In, Out>;
  readonly clock: TestClock;
}

/** A real session of a backend over a peer that the test plays, for what no real vendor can be made to do. */
export async function openScripted<In, Out, S, F>(
  setup: Omit<SessionSetup<In, Out, S, F>, 'wire' | 'redactor' | 'clock'> & { readonly redactor?: Redactor },
  /** Plays the opening. */
  open: (peer: Peer<In, Out>) => void,
): Promise<Scripted<In, Out>> {
  const { wire, peer } = createLinkedPair<In, Out>();
  const clock = createTestClock();
  const opened = openSession({ redactor: createRedactor(), ...setup, wire, clock });
  open(peer);
  return { session: await opened, peer, clock };
}
