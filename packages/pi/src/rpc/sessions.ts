import { homedir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@native-compaction/core';
import {
  type JsonObject,
  object,
  optional,
  readSessionStore,
  type SessionStore,
  type StoredSession,
  text,
} from '@native-compaction/transport';

/** The sessions of Pi's own store that can be resumed, newest first, redacted. `env` names the home, as for the CLI. */
export function piSessions(env: Readonly<Record<string, string | undefined>> = process.env): Iterable<StoredSession> {
  const home = env.PI_CODING_AGENT_DIR || join(env.HOME || homedir(), '.pi/agent');
  const folder = env.PI_CODING_AGENT_SESSION_DIR || join(home, 'sessions');
  return readSessionStore({ ...store, folder }, createRedactor(env));
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
        return { nativeId, ...optional('cwd', text(header?.cwd)), ...optional('firstPrompt', promptOf(message.content)) };
    }
    return undefined;
  },
};

function promptOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return text(content);
  return content.flatMap((block) => text(object(block)?.text) ?? [])[0];
}
