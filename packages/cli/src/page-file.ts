import { closeSync, rmSync, writeFileSync } from 'node:fs';
import { NativeCompactionError } from '@native-compaction/core';
import { createPrivateFile } from '@native-compaction/transport';

/** A page that is there as a whole or not at all. */
export interface PageFile {
  /** Once, and last. Throws `capture_failed`. */
  write(page: string): void;
  /** In the place of `write`. */
  discard(): void;
}

/** Creates the file at once, 0600 and never through a link (E4), so that nothing is begun where it cannot be. Throws `capture_failed`. */
export function createPageFile(path: string): PageFile {
  const file = createPrivateFile(path, 'the page');
  const discard = () => {
    closeSync(file);
    rmSync(path, { force: true });
  };
  return {
    discard,
    write(page) {
      try {
        writeFileSync(file, page);
      } catch (cause) {
        discard();
        const message = `Cannot write the page ${path} (${(cause as NodeJS.ErrnoException).code}). Make room, or name a file elsewhere.`;
        throw new NativeCompactionError('capture_failed', message, { cause });
      }
      closeSync(file);
    },
  };
}
