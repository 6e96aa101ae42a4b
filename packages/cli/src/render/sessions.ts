import type { StoredSession } from '@native-compaction/transport';
import { toMinute } from './duration.ts';
import { toPlain, toTable, toWidth } from './plain.ts';

/** Below this an id, which is to be copied, and what tells it from others do not fit in one line. */
const TABLE_COLUMNS = 110;

/** A table, or three lines a session on a narrow terminal; an id is never cut. */
export function toSessionLines(sessions: readonly StoredSession[], columns: number | undefined): string[] {
  const rows = sessions.map(({ nativeId, lastActivityMs, cwd, firstWords }) => [
    toPlain(nativeId),
    toMinute(lastActivityMs),
    toPlain(cwd ?? '?'),
    toPlain(firstWords ?? ''),
  ]);
  if (columns === undefined || columns >= TABLE_COLUMNS)
    return toTable([['ID', 'LAST ACTIVITY', 'FOLDER', 'FIRST WORDS'], ...rows], columns);
  return rows.flatMap(([id = '', last, folder, words]) => [
    id,
    ...[`${last}  ${folder}`, words].map((line) => toWidth(`  ${line}`, columns)),
  ]);
}
