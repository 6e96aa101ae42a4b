import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

const PACKAGE = '@earendil-works/pi-coding-agent';

export interface Launch {
  readonly executable: string;
  readonly args: readonly string[];
}

/**
 * How Pi is started: a JavaScript file runs on this process's own Node, never on a `node` that PATH happens to have. One that is
 * not there is left to the system, which says so.
 */
export function toLaunch(executable: string, args: readonly string[], cwd: string): Launch {
  const file = resolve(cwd, executable);
  if (!/\.[cm]?js$/.test(executable) || !existsSync(file)) return { executable, args };
  return { executable: process.execPath, args: [file, ...args] };
}

/** The version of the package that the executable belongs to; Pi's protocol does not tell it. */
export function installedVersion(executable: string, path: string | undefined, cwd: string): string | undefined {
  const places = executable.includes('/')
    ? [resolve(cwd, executable)]
    : (path ?? '').split(delimiter).map((folder) => join(folder, executable));
  for (const place of places) {
    try {
      return versionAbove(realpathSync(place));
    } catch {
      // Not there: the next folder.
    }
  }
  return undefined;
}

function versionAbove(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown; version?: unknown };
      if (found.name === PACKAGE && typeof found.version === 'string') return found.version;
    } catch {
      // No package here: one folder up.
    }
  }
  return undefined;
}
