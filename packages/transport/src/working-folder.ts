import { statSync } from 'node:fs';
import { NativeCompactionError, type Redactor } from '@native-compaction/core';

/** Throws `cwd_not_found` where a session is to work in something that is no folder. */
export function checkFolder(cwd: string, redactor: Redactor): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new NativeCompactionError('cwd_not_found', `cwd is not a folder: ${redactor.error(cwd)}`);
}
