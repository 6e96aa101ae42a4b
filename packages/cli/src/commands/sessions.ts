import { resolve } from 'node:path';
import type { StoredSession } from '@native-compaction/transport';
import { print, printJson, warn } from '../output.ts';
import { toPlain } from '../render/plain.ts';
import { toSessionLines } from '../render/sessions.ts';
import { type RuntimeName, runtimes } from '../runtimes.ts';

export interface SessionsOptions {
  readonly cwd?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Lists what can be resumed, from the vendor's own files; starts nothing. */
export function sessions(name: RuntimeName, { cwd, limit, json }: SessionsOptions): number {
  const folder = cwd === undefined ? undefined : resolve(cwd);
  const found = take(runtimes[name].sessions(), limit, folder);
  if (json) printJson(found);
  else if (found.length === 0) warn(toPlain(toNothing(name, folder)));
  else for (const line of toSessionLines(found, process.stdout.columns)) print(line);
  return 0;
}

function take(all: Iterable<StoredSession>, limit: number, cwd: string | undefined): StoredSession[] {
  const found: StoredSession[] = [];
  for (const session of all) {
    if (cwd !== undefined && session.cwd !== cwd) continue;
    if (found.push(session) === limit) break;
  }
  return found;
}

function toNothing(name: RuntimeName, folder: string | undefined): string {
  const { title, executable } = runtimes[name];
  if (folder !== undefined) return `No session of ${title} in ${folder}. Leave --cwd out to see those of every folder.`;
  return `No session of ${title} yet. Hold one with "${executable}", then look again.`;
}
