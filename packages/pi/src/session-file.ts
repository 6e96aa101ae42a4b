import { filesBelow, readJsonLines, text, Unparsed } from '@native-compaction/transport';
import { toCompactionKey } from './compactions.ts';

/** An entry of the session, with what a proof may rest on. */
export interface SessionEntry {
  readonly row: number;
  readonly id: string;
  readonly atMs: number;
  /** There if the entry is a compaction. */
  readonly compaction?: string;
  readonly isCompaction: boolean;
}

export interface SessionFile {
  readonly entries: readonly SessionEntry[];
  readonly sessionId?: string;
  /** When the session was begun, in milliseconds. */
  readonly beganAtMs?: number;
  readonly hasUnreadable: boolean;
}

/** The file of a session below a folder; undefined unless there is exactly one. */
export async function findSessionFile(folder: string, sessionId: string): Promise<string | undefined> {
  const found = await filesBelow(folder, `_${sessionId}.jsonl`);
  return found.length === 1 ? found[0] : undefined;
}

export async function readSessionFile(file: string): Promise<SessionFile> {
  const entries: SessionEntry[] = [];
  let hasUnreadable = false;
  let header: { sessionId?: string; beganAtMs?: number } = {};
  await readJsonLines(file, (native, row) => {
    if (native instanceof Unparsed) {
      hasUnreadable = true;
      return;
    }
    const [id, atMs] = [text(native.id) ?? '', Date.parse(text(native.timestamp) ?? '')];
    if (native.type === 'session') {
      header = { sessionId: id, beganAtMs: atMs };
      return;
    }
    const isCompaction = native.type === 'compaction';
    const compaction = isCompaction ? toCompactionKey(native) : undefined;
    entries.push({ row, id, atMs, isCompaction, ...(compaction === undefined ? {} : { compaction }) });
  });
  return { entries, hasUnreadable, ...header };
}
