import {
  CLOCK_TOLERANCE_MS,
  type ControlState,
  type DurableEvidence,
  type Finding,
  processGone,
  unknownFinding,
} from '@native-compaction/core';
import { mayBeAlive } from '@native-compaction/transport';
import { findRollout, type Rollout, type RolloutTurn, readRollout } from './rollout.ts';

/**
 * What the rollout says of one compaction. Codex writes a `compacted` row inside the turn that replaced the history, and reads
 * the history back from there (0.166.0, 0.171.0). The turn is ours if it was bound while the session ran; a request that never
 * was bound left nothing if nothing in the rollout could be its work.
 */
export async function reconcileCodex(
  env: Readonly<Record<string, string>>,
  { nativeId, control }: { readonly nativeId: string; readonly control: ControlState },
): Promise<Finding> {
  // Asked before the file is read: what a process wrote until it ended is in the file then.
  const isAlive = mayBeAlive(control.process);
  const file = await findRollout(env, nativeId);
  if (file === undefined) return unknownFinding('no_source');
  const rollout = await readRollout(file);
  if (rollout.threadId !== nativeId) return unknownFinding('no_source');
  const bound = control.nativeKeys?.turnId;
  if (bound !== undefined) {
    const turn = rollout.turns.find(({ turnId }) => turnId === bound);
    if (turn?.compactedRow !== undefined) return compacted(turn, turn.compactedRow);
    if (turn?.end && !rollout.hasUnreadable && !rollout.hasStray) return { context: 'unchanged', evidence: trail(turn) };
    if (isAlive) return unknownFinding('still_running');
    if (turn) return settled(rollout, control, trail(turn));
    return isCovered(rollout, control) ? settled(rollout, control, []) : unknownFinding('no_source');
  }
  if (isAlive) return unknownFinding('still_running');
  if (!isCovered(rollout, control)) return unknownFinding('no_source');
  const candidate = rollout.turns.find((turn) => couldBe(turn, rollout, control));
  if (candidate) return unknownFinding('ambiguous', trail(candidate));
  return settled(rollout, control, []);
}

function compacted(turn: RolloutTurn, row: number): Finding {
  const ids = { turnId: turn.turnId };
  const [started, ...rest] = trail(turn);
  return { context: 'compacted', evidence: [started, { kind: 'compacted', row, ids }, ...rest] };
}

/** The process is gone, and no turn of the request's replaced the history. */
function settled({ hasUnreadable, hasStray }: Rollout, control: ControlState, evidence: readonly DurableEvidence[]): Finding {
  if (hasUnreadable) return unknownFinding('unreadable');
  if (hasStray) return unknownFinding('ambiguous');
  return { context: 'unchanged', evidence: [processGone(control), ...evidence] };
}

/** The rollout reaches back to before the request. */
function isCovered({ turns, beganAtMs }: Rollout, { position, requestedAtMs }: ControlState): boolean {
  if (position !== undefined) return turns.some(({ turnId }) => turnId === position);
  return beganAtMs !== undefined && beganAtMs <= requestedAtMs;
}

/** A turn after the request that replaced the history and took no input; a later one by hand looks the same. */
function couldBe(turn: RolloutTurn, { turns }: Rollout, { position, requestedAtMs }: ControlState): boolean {
  if (turn.compactedRow === undefined || turn.hasInput) return false;
  const before = turns.find(({ turnId }) => turnId === position);
  return before ? turn.row > before.row : !(timeOf(turn.turnId) < requestedAtMs - CLOCK_TOLERANCE_MS);
}

/** Turn ids are UUIDs that begin with the time they were made (version 7). */
function timeOf(turnId: string): number {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(turnId) ? Number.parseInt(turnId.replace('-', '').slice(0, 12), 16) : Number.NaN;
}

function trail({ turnId, row, end }: RolloutTurn): [DurableEvidence, ...DurableEvidence[]] {
  const ids = { turnId };
  return [{ kind: 'task_started', row, ids }, ...(end ? [{ kind: end.kind, row: end.row, ids }] : [])];
}
