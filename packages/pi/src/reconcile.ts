import {
  CLOCK_TOLERANCE_MS,
  type ControlState,
  type DurableEvidence,
  type Finding,
  processGone,
  unknownFinding,
} from '@native-compaction/core';
import { mayBeAlive } from '@native-compaction/transport';
import { findSessionFile, readSessionFile, type SessionEntry, type SessionFile } from './session-file.ts';

/** Where a runtime keeps its sessions, and whether its process leads a group of its own. */
interface Place {
  readonly folder: string;
  readonly isGroup: boolean;
}

/**
 * What the session file says of one compaction. Pi's entry carries no id of ours, so only the answer to our command ties us to
 * one; without that answer a compaction behind the request may be anybody's (1.4.0 to 1.6.0).
 */
export async function reconcilePi(
  { folder, isGroup }: Place,
  { nativeId, control }: { readonly nativeId: string; readonly control: ControlState },
): Promise<Finding> {
  // Asked before the file is read: what a process wrote until it ended is in the file then.
  const isAlive = mayBeAlive(control.process, isGroup);
  const path = await findSessionFile(folder, nativeId);
  if (path === undefined) return unknownFinding('no_source');
  const file = await readSessionFile(path);
  if (file.sessionId !== nativeId) return unknownFinding('no_source');
  const answered = control.nativeKeys?.compaction;
  if (answered !== undefined) return judgeAnswered(file, answered);
  if (isAlive) return unknownFinding('still_running');
  if (file.hasUnreadable) return unknownFinding('unreadable');
  const before = positionOf(file, control);
  if (control.position !== undefined ? before === undefined : !(Number(file.beganAtMs) <= control.requestedAtMs))
    return unknownFinding('no_source');
  const candidate = file.entries.find((entry) => couldBe(entry, before, control));
  if (candidate) return unknownFinding('ambiguous', [toEvidence('compaction', candidate)]);
  return { context: 'unchanged', evidence: [processGone(control), ...(before ? [toEvidence('position', before)] : [])] };
}

/** Pi writes the entry before it answers; the answer names what it kept and what it counted. */
function judgeAnswered({ entries, hasUnreadable }: SessionFile, answered: string): Finding {
  const [found, ...others] = entries.filter(({ compaction }) => compaction === answered);
  if (!found) return unknownFinding(hasUnreadable ? 'unreadable' : 'no_source');
  if (others.length > 0)
    return unknownFinding(
      'ambiguous',
      [found, ...others].map((entry) => toEvidence('compaction', entry)),
    );
  return { context: 'compacted', evidence: [toEvidence('compaction', found)] };
}

/** The entry the request came behind: the leaf, or the last compaction told of before. */
function positionOf({ entries }: SessionFile, { position }: ControlState): SessionEntry | undefined {
  return position === undefined
    ? undefined
    : entries.findLast(({ id, compaction }) => id === position || compaction === position);
}

function couldBe(entry: SessionEntry, before: SessionEntry | undefined, { requestedAtMs }: ControlState): boolean {
  if (!entry.isCompaction || (before && entry.row <= before.row)) return false;
  return !(entry.atMs < requestedAtMs - CLOCK_TOLERANCE_MS);
}

function toEvidence(kind: string, { row, id }: SessionEntry): DurableEvidence {
  return { kind, row, ids: { id } };
}
