import { closeSync, writeFileSync } from 'node:fs';
import { createPrivateFile } from '@native-compaction/transport';

/** Writes a page to a new file, 0600 and never through a link (E4). Throws `capture_failed`. */
export function writePage(path: string, page: string): void {
  const file = createPrivateFile(path, 'the page');
  try {
    writeFileSync(file, page);
  } finally {
    closeSync(file);
  }
}
