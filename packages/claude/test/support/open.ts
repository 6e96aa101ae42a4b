import { openScripted, type Scripted } from '@native-compaction/conformance';
import type { PermissionCallback, SessionSetup } from '@native-compaction/core';
import type { JsonObject, Peer } from '@native-compaction/transport';
import { reservedCommand } from '../../src/commands.ts';
import type { ClaudeIn, ClaudeOut } from '../../src/frames.ts';
import { claudeMachine } from '../../src/machine.ts';
import { promptChangeOf, testedVersions } from '../../src/options.ts';
import { claudeManualCompaction } from '../../src/runtime.ts';
import type { ClaudeFacts, ClaudeState } from '../../src/state.ts';
import { native } from './native.ts';

export interface Bench extends Scripted<ClaudeIn, ClaudeOut> {
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
  const answer = ({ written, send }: Peer<ClaudeIn, ClaudeOut>, extra: JsonObject = {}) => {
    const reads = written.filter((frame) => (frame.request as JsonObject | undefined)?.subtype === 'initialize');
    send(native.opened(String(reads.at(-1)?.request_id), { ...opening, ...extra }));
  };
  const scripted = await openScripted<ClaudeIn, ClaudeOut, ClaudeState, ClaudeFacts>(
    {
      runtime: 'claude',
      machine: claudeMachine,
      facts: { prompt: {}, testedVersions },
      manualCompaction: claudeManualCompaction,
      promptChange: (version) => promptChangeOf(version, false),
      reservedCommand,
      ...rest,
    },
    answer,
  );
  const { peer } = scripted;
  return {
    ...scripted,
    last: () => peer.written.at(-1) as JsonObject,
    commands: () =>
      peer.written.filter((frame) => String((frame.message as JsonObject | undefined)?.content).startsWith('/compact')),
    answerRead: (extra) => answer(peer, extra),
  };
}
