import { join } from 'node:path';
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
import { codexHome } from './rollout.ts';

/** The threads of Codex's own store that can be resumed, newest first, redacted. `env` names the home, as for the CLI. */
export function codexSessions(env: Readonly<Record<string, string | undefined>> = process.env): Iterable<StoredSession> {
  return readSessionStore({ ...store, folder: join(codexHome(env), 'sessions') }, createRedactor(env));
}

/** One rollout a thread, by day; a thread of a child agent says so in its first line. */
const store: Omit<SessionStore, 'folder'> = {
  fits: /(?:^|\/)rollout-[^/]*\.jsonl$/,
  read(rows) {
    let meta: JsonObject | undefined;
    for (const row of rows) {
      const payload = object(row.payload);
      if (row.type === 'session_meta') meta ??= payload;
      const prompt = row.type === 'event_msg' && payload ? promptOf(payload) : undefined;
      const nativeId = text(meta?.id);
      if (object(meta?.source) !== undefined) return undefined;
      if (prompt !== undefined && nativeId !== undefined)
        return { nativeId, firstPrompt: prompt, ...optional('cwd', text(meta?.cwd)) };
    }
    return undefined;
  },
};

/** Up to 0.166 a prompt is a `user_message`, in 0.171 an item. */
function promptOf(payload: JsonObject): string | undefined {
  if (payload.type === 'user_message') return text(payload.message);
  const item = object(payload.item);
  if (payload.type !== 'item_completed' || item?.type !== 'UserMessage' || !Array.isArray(item.content)) return undefined;
  return firstText(item.content);
}
