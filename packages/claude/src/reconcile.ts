import {
  CLOCK_TOLERANCE_MS,
  type ControlState,
  type DurableEvidence,
  type Finding,
  processGone,
  unknownFinding,
} from '@native-compaction/core';
import { mayBeAlive } from '@native-compaction/transport';
import { findTranscript, type Row, readTranscript, type Transcript } from './transcript.ts';

/**
 * What the transcript says of one `/compact`. Claude Code writes the command's row, under our uuid, last of all: behind the
 * boundary and the summary when it compacted, and alone when it did not (2.1.316, 2.1.332). So the row decides; without it, a
 * manual boundary that no command claims may be ours, cut short.
 */
export async function reconcileClaude(
  env: Readonly<Record<string, string>>,
  { nativeId, control }: { readonly nativeId: string; readonly control: ControlState },
): Promise<Finding> {
  // Asked before the file is read: what a process wrote until it ended is in the file then.
  const isAlive = mayBeAlive(control.process);
  const file = await findTranscript(env, nativeId);
  if (file === undefined) return unknownFinding('no_source');
  const transcript = await readTranscript(file);
  const command = transcript.rows.get(control.nativeKeys?.command_uuid ?? '');
  if (command) return judgeCommand(transcript, command);
  return isAlive ? unknownFinding('still_running') : judgeAbsence(transcript, control);
}

/** The command has its row: it is over, whoever still lives. */
function judgeCommand({ rows, hasUnreadable }: Transcript, command: Row): Finding {
  const evidence = [toEvidence('command', command)] as const;
  if (command.promptId === undefined) return unknownFinding('ambiguous', evidence);
  let row: Row | undefined = command;
  const seen = new Set<Row>();
  while (row && row.promptId === command.promptId) {
    // A parent that is its own child is no conversation.
    if (seen.has(row)) return unknownFinding('ambiguous', evidence);
    seen.add(row);
    const parent: Row | undefined = row.parent === undefined ? undefined : rows.get(row.parent);
    if (row.kind === 'summary') {
      const isOurs = parent?.kind === 'boundary' && parent.isManual && parent.row < row.row && row.row < command.row;
      if (!isOurs) return unknownFinding('ambiguous', evidence);
      return {
        context: 'compacted',
        evidence: [toEvidence('compact_boundary', parent), toEvidence('summary', row), ...evidence],
      };
    }
    // What it stands behind is lost: the summary may have been there.
    if (row.parent !== undefined && !parent) return unknownFinding(hasUnreadable ? 'unreadable' : 'no_source', evidence);
    row = parent;
  }
  // A summary of this very command that its row does not stand behind fits no form that was ever seen.
  const stray = [...rows.values()].find(({ kind, promptId }) => kind === 'summary' && promptId === command.promptId);
  if (stray) return unknownFinding('ambiguous', [...evidence, toEvidence('summary', stray)]);
  const failure = [...rows.values()].find(({ kind, parent }) => kind === 'failure' && parent === command.uuid);
  return { context: 'unchanged', evidence: [...evidence, ...(failure ? [toEvidence('local_command', failure)] : [])] };
}

/** The process is gone and left no row of the command: nothing was replaced, unless a boundary is there that nobody else claims. */
function judgeAbsence({ rows, hasUnreadable }: Transcript, control: ControlState): Finding {
  if (hasUnreadable) return unknownFinding('unreadable');
  const all = [...rows.values()];
  const position = control.position === undefined ? undefined : rows.get(control.position);
  const isCovered =
    control.position === undefined ? all.some(({ atMs }) => atMs < control.requestedAtMs) : position !== undefined;
  if (!isCovered) return unknownFinding('no_source');
  const isOlder = (row: Row) => (position ? row.row < position.row : row.atMs < control.requestedAtMs - CLOCK_TOLERANCE_MS);
  // Without a uuid of ours, the command that claims a boundary may be ours.
  const isNamed = control.nativeKeys?.command_uuid !== undefined;
  const isOthers = (row: Row) => isNamed && isClaimed(row, rows);
  const unclaimed = all.find((row) => row.kind === 'boundary' && row.isManual && !isOlder(row) && !isOthers(row));
  if (unclaimed) return unknownFinding('ambiguous', [toEvidence('compact_boundary', unclaimed)]);
  return { context: 'unchanged', evidence: [processGone(control), ...(position ? [toEvidence('position', position)] : [])] };
}

/** True if another command's row stands behind the summary of this boundary; what it printed has its mark too, and claims nothing. */
function isClaimed(boundary: Row, rows: Transcript['rows']): boolean {
  const all = [...rows.values()];
  const summary = all.find(({ kind, parent }) => kind === 'summary' && parent === boundary.uuid);
  if (summary?.promptId === undefined) return false;
  return all.some(({ kind, promptId, row, parent }) => {
    const before = parent === undefined ? undefined : rows.get(parent);
    const isCommand = kind === 'user' && before?.promptId === promptId && before?.kind !== 'user';
    return isCommand && promptId === summary.promptId && row > summary.row;
  });
}

function toEvidence(kind: string, { row, uuid }: Row): DurableEvidence {
  return { kind, row, ids: { uuid } };
}
