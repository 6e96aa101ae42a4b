import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The fake vendor, ready to be started in the place of any vendor's CLI. */
export interface Vendor {
  readonly executable: string;
  /** What to run by `node`, for a client that starts its CLI so; with the compiled vendor `node` in `folder` is the vendor itself. */
  readonly script: string;
  readonly folder: string | undefined;
  readonly kind: 'compiled' | 'script';
}

/** Compiles feeder.c where there is a compiler, else takes its twin. */
export function buildVendor(folder: string): Vendor {
  const twin = fileURLToPath(new URL('./feeder.mjs', import.meta.url));
  const source = fileURLToPath(new URL('./feeder.c', import.meta.url));
  const target = join(folder, 'feeder');
  const { status } = spawnSync('cc', ['-O2', '-o', target, source], { stdio: 'ignore' });
  if (status !== 0) return { executable: twin, script: twin, folder: undefined, kind: 'script' };
  const names = join(folder, 'as-node');
  mkdirSync(names, { recursive: true });
  try {
    symlinkSync(target, join(names, 'node'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return { executable: target, script: twin, folder: names, kind: 'compiled' };
}
