import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PromptOptions } from '@native-compaction/core';

/** Flags that hand the prompt over, and how to take its files away again. */
export interface PromptFiles {
  readonly args: readonly string[];
  remove(): void;
}

/**
 * Pi swaps a prompt that names an existing file for that file's content (1.4.0 to 1.6.0), so it always gets a private file
 * that holds the text (E4).
 */
export function createPromptFiles({ system, append }: PromptOptions): PromptFiles {
  if (system === undefined && append === undefined) return { args: [], remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  const flag = (name: string, text: string | undefined): string[] => {
    if (text === undefined) return [];
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return [`--${name}`, file];
  };
  return {
    args: [...flag('system-prompt', system), ...flag('append-system-prompt', append)],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
