import {
  type Clock,
  createRedactor,
  openSession,
  type PermissionCallback,
  type Session,
  type SessionSetup,
} from '@native-compaction/core';
import { createLinkedPair, type JsonObject, type Peer } from '@native-compaction/transport';
import { reservedCommand } from '../../src/commands.ts';
import type { ClaudeIn, ClaudeOut } from '../../src/frames.ts';
import { claudeMachine } from '../../src/machine.ts';
import { promptChangeOf, testedVersions } from '../../src/options.ts';
import { claudeManualCompaction } from '../../src/runtime.ts';
import type { ClaudeFacts, ClaudeState } from '../../src/state.ts';
import { native } from './native.ts';

/** A clock that stands still until it is told how much time has passed. */
function createTestClock(): Clock & { pass(ms: number): void } {
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

export interface Bench {
  readonly session: Session;
  readonly peer: Peer<ClaudeIn, ClaudeOut>;
  readonly clock: ReturnType<typeof createTestClock>;
  /** The last frame written, and how many commands `/compact` were. */
  last(): JsonObject;
  commands(): JsonObject[];
  /** Answers the newest initialize. */
  answerRead(extra?: JsonObject): void;
}

/** A real session over a scripted peer that has answered the opening. */
export async function openBench(
  setup: Partial<SessionSetup<ClaudeIn, ClaudeOut, ClaudeState, ClaudeFacts>> & {
    opening?: JsonObject;
    permissions?: PermissionCallback;
  } = {},
): Promise<Bench> {
  const { opening = {}, ...rest } = setup;
  const { wire, peer } = createLinkedPair<ClaudeIn, ClaudeOut>();
  const clock = createTestClock();
  const last = () => peer.written.at(-1) as JsonObject;
  const answerRead = (extra: JsonObject = {}) => {
    const reads = peer.written.filter((frame) => (frame.request as JsonObject | undefined)?.subtype === 'initialize');
    peer.send(native.opened(String(reads.at(-1)?.request_id), { ...opening, ...extra }));
  };
  const opened = openSession({
    runtime: 'claude',
    machine: claudeMachine,
    facts: { prompt: {}, testedVersions },
    wire,
    redactor: createRedactor(),
    manualCompaction: claudeManualCompaction,
    promptChange: (version) => promptChangeOf(version, []),
    reservedCommand,
    clock,
    ...rest,
  });
  answerRead();
  const commands = () =>
    peer.written.filter((frame) => String((frame.message as JsonObject | undefined)?.content).startsWith('/compact'));
  return { session: await opened, peer, clock, last, commands, answerRead };
}
