import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PromptOptions } from '@native-compaction/core';

/** Flags that hand the prompt over, and how to take its files away again. */
export interface PromptFiles {
  readonly args: readonly string[];
  remove(): void;
}

/** A folder's name says whose it is, so that the next one finds what a process that was killed has left. */
const HOST = `native-compaction-${hostname().replaceAll(/[^A-Za-z0-9]/g, '')}-`;
const folders = new Set<string>();

/**
 * Pi swaps a prompt that names an existing file for that file's content (1.4.0 to 1.6.0), so it always gets a private file
 * that holds the text (E4). It reads the file again for each new session and reload, so the file lives as long as Pi does.
 */
export function createPromptFiles({ system, append }: PromptOptions): PromptFiles {
  if (system === undefined && append === undefined) return { args: [], remove: () => undefined };
  removeLeftovers();
  if (folders.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), `${HOST}${process.pid}-`));
  folders.add(folder);
  const flag = (name: string, text: string | undefined): string[] => {
    if (text === undefined) return [];
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return [`--${name}`, file];
  };
  return {
    args: [...flag('system-prompt', system), ...flag('append-system-prompt', append)],
    remove() {
      removeFolder(folder);
      folders.delete(folder);
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

function removeAll(): void {
  for (const folder of folders) removeFolder(folder);
}

/** What processes of this machine that are gone have left behind. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(HOST) ? Number.parseInt(name.slice(HOST.length), 10) : 0;
    if (pid > 0 && isGone(pid)) removeFolder(join(tmpdir(), name));
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Somebody else's, or gone already.
  }
}
