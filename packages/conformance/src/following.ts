import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Session, SessionRecord } from '@native-compaction/core';

/** Resolves with the first record that fits, from the oldest retained one on. */
export async function recordOf<T extends SessionRecord['type']>(
  session: Session,
  type: T,
  fits: (record: Extract<SessionRecord, { type: T }>) => boolean = () => true,
): Promise<Extract<SessionRecord, { type: T }>> {
  for await (const item of session.records()) {
    if (item.type === type && fits(item as Extract<SessionRecord, { type: T }>))
      return item as Extract<SessionRecord, { type: T }>;
  }
  throw new Error(`The log ended without ${type}.`);
}

/** Everything recorded so far. */
export async function recordsSoFar(session: Session): Promise<SessionRecord[]> {
  const { seq } = session.checkpoint().cursor;
  const found: SessionRecord[] = [];
  if (seq === 0) return found;
  for await (const item of session.records()) {
    found.push(item);
    if (item.seq >= seq) break;
  }
  return found;
}

/** Sends a prompt and waits for its end; throws unless it completed. */
export async function say(session: Session, text: string): Promise<void> {
  const outcome = await session.send(text).ended;
  if (outcome !== 'completed') throw new Error(`The prompt ended ${outcome}.`);
}

/** What comes of it in this time, or undefined. */
export async function within<T>(timeMs: number, awaited: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), timeMs);
  try {
    return await Promise.race([awaited, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A zombie is not alive: it waits only to be collected. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** The processes that were started in a home, their children too, by what their environment says; none where no platform tells. */
export function processesOf(home: string): number[] {
  const numbers = existsSync('/proc/self/environ') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return numbers.map(Number).filter((pid) => environmentOf(pid).includes(home) && !isZombie(pid));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // gone, or another user's
  }
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
