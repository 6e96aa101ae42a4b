import { join } from 'node:path';
import { filesBelow, homeOf, object, optional, readJsonLines, text, Unparsed } from '@native-compaction/transport';

/** One turn as the rollout tells it. */
export interface RolloutTurn {
  readonly turnId: string;
  readonly row: number;
  /** The first row that replaced the history in this turn. */
  readonly compactedRow?: number;
  /** Somebody's input was taken: it is no compact turn, which takes none. */
  readonly hasInput: boolean;
  readonly end?: { readonly kind: string; readonly row: number };
}

export interface Rollout {
  /** The thread it was begun for: that of a fork also holds what it was forked from. */
  readonly threadId?: string;
  readonly turns: readonly RolloutTurn[];
  /** A replacement outside every turn; none was ever seen. */
  readonly hasStray: boolean;
  readonly hasUnreadable: boolean;
  /** When the thread was begun, in milliseconds. */
  readonly beganAtMs?: number;
}

export function codexHome(env: Readonly<Record<string, string | undefined>>): string {
  return env.CODEX_HOME || join(homeOf(env), '.codex');
}

/** The rollout of a thread below Codex's home; undefined unless there is exactly one. */
export async function findRollout(env: Readonly<Record<string, string>>, threadId: string): Promise<string | undefined> {
  const folders = ['sessions', 'archived_sessions'].map((name) => join(codexHome(env), name));
  const found = (await Promise.all(folders.map((folder) => filesBelow(folder, `-${threadId}.jsonl`)))).flat();
  return found.length === 1 ? found[0] : undefined;
}

export async function readRollout(file: string): Promise<Rollout> {
  const turns: RolloutTurn[] = [];
  let [hasStray, hasUnreadable] = [false, false];
  let header: { readonly threadId?: string; readonly beganAtMs: number } | undefined;
  const withLast = (change: (turn: RolloutTurn) => RolloutTurn) => {
    const last = turns.pop();
    if (last) turns.push(change(last));
  };
  await readJsonLines(file, (line, row) => {
    if (line instanceof Unparsed) {
      hasUnreadable = true;
      return;
    }
    const payload = object(line.payload);
    const turnId = text(payload?.turn_id) ?? '';
    const isOpen = turns.at(-1) !== undefined && turns.at(-1)?.end === undefined;
    if (line.type === 'session_meta') {
      const beganAtMs = Date.parse(text(payload?.timestamp) ?? text(line.timestamp) ?? '');
      header ??= { ...optional('threadId', text(payload?.id)), beganAtMs };
    }
    if (line.type === 'compacted') {
      if (isOpen) withLast((turn) => ({ compactedRow: row, ...turn }));
      else hasStray = true;
    }
    if (line.type !== 'event_msg') return;
    switch (payload?.type) {
      case 'task_started':
        // A start that is written again is the one it was.
        if (turnId === '' || turns.at(-1)?.turnId !== turnId) turns.push({ turnId, row, hasInput: false });
        break;
      case 'task_complete':
      case 'turn_aborted':
        withLast((turn) => (turn.turnId === turnId ? { ...turn, end: { kind: String(payload.type), row } } : turn));
        break;
      case 'user_message':
        withLast((turn) => ({ ...turn, hasInput: true }));
        break;
      case 'item_completed':
        if (object(payload.item)?.type === 'UserMessage' && turns.at(-1)?.turnId === turnId)
          withLast((turn) => ({ ...turn, hasInput: true }));
        break;
      default:
    }
  });
  return { turns, hasStray, hasUnreadable, ...header };
}
