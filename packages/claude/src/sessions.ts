import { createRedactor } from '@native-compaction/core';
import {
  firstText,
  object,
  optional,
  readSessionStore,
  type SessionStore,
  type StoredSession,
  text,
} from '@native-compaction/transport';
import { projectsFolder } from './transcript.ts';

/** The sessions of Claude Code's own store that can be resumed, newest first, redacted. `env` names the home, as for the CLI. */
export function claudeSessions(env: Readonly<Record<string, string | undefined>> = process.env): Iterable<StoredSession> {
  return readSessionStore({ ...store, folder: projectsFolder(env) }, createRedactor(env));
}

/** One file a session in a folder for each project; those of child agents lie deeper. */
const store: Omit<SessionStore, 'folder'> = {
  fits: /^[^/]+\/[0-9a-f]{8}-[0-9a-f-]{27}\.jsonl$/,
  read(rows) {
    let cwd: string | undefined;
    for (const row of rows) {
      cwd ??= text(row.cwd);
      const nativeId = text(row.sessionId);
      if (row.type !== 'user' || row.isSidechain === true || nativeId === undefined) continue;
      const prompt = firstText(object(row.message)?.content);
      // What the CLI itself adds to the conversation is no prompt of anybody.
      if (row.isMeta === true || row.isCompactSummary === true || prompt === undefined || prompt.startsWith('<')) continue;
      return { nativeId, firstPrompt: prompt, ...optional('cwd', cwd) };
    }
    return undefined;
  },
};
