import { createRedactor } from '@native-compaction/core';
import {
  firstText,
  type JsonObject,
  object,
  optional,
  readSessionStore,
  type SessionStore,
  type StoredSession,
  text,
} from '@native-compaction/transport';
import { sessionFolder } from '../session-folder.ts';

/** The sessions of Pi's own store that can be resumed, newest first, redacted. `env` names the home, as for the CLI. */
export function piSessions(env: Readonly<Record<string, string | undefined>> = process.env): Iterable<StoredSession> {
  return readSessionStore({ ...store, folder: sessionFolder(env) }, createRedactor(env));
}

/** One file a session; its first line is its header. */
const store: Omit<SessionStore, 'folder'> = {
  fits: /\.jsonl$/,
  read(rows) {
    let header: JsonObject | undefined;
    for (const row of rows) {
      if (row.type === 'session') header ??= row;
      const nativeId = text(header?.id);
      if (nativeId === undefined) return undefined;
      const message = row.type === 'message' ? object(row.message) : undefined;
      if (message?.role === 'user')
        return { nativeId, ...optional('cwd', text(header?.cwd)), ...optional('firstPrompt', firstText(message.content)) };
    }
    return undefined;
  },
};
