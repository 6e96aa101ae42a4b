import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createRedactor, NativeCompactionError } from '@native-compaction/core';
import { childEnvironment, optional } from '@native-compaction/transport';
import { execa } from 'execa';
import { toPlain } from './render/plain.ts';

/** Where a command is in PATH, as a child would find it. */
export function findExecutable(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)))
    .find(isExecutable);
}

/** A name is looked up in PATH; a path is taken from where the command was run. Throws `executable_not_found`. */
export function locate(named: string): string {
  const isName = !/[\\/]/.test(named);
  const found = isName ? findExecutable(named) : resolve(named);
  if (found !== undefined && isExecutable(found)) return found;
  const message = isName ? `No "${named}" in PATH.` : `${found} is no program that can be started.`;
  throw new NativeCompactionError('executable_not_found', message);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Keeps a CLI that is only asked for its version from looking for a newer one. */
const quiet = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  PI_OFFLINE: '1',
  PI_SKIP_VERSION_CHECK: '1',
  PI_TELEMETRY: '0',
};

const VERSION_TIMEOUT_MS = 15_000;

/** Whether it is a JavaScript file, which is run with this process's own Node. */
export function isScript(executable: string): boolean {
  return /\.[cm]?js$/.test(executable);
}

/** What `--version` says, and in the place of a version the first line of what it said instead. */
export async function readVersion(executable: string): Promise<{ readonly version?: string; readonly said?: string }> {
  const [file, args] = isScript(executable) ? [process.execPath, [executable, '--version']] : [executable, ['--version']];
  const options = { env: childEnvironment(quiet), extendEnv: false, stdin: 'ignore', reject: false, timeout: VERSION_TIMEOUT_MS };
  const { stdout, stderr } = await execa(file, args, options as { stdin: 'ignore'; reject: false });
  const version = /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(String(stdout ?? ''))?.[0];
  if (version !== undefined) return { version };
  const said = createRedactor(process.env).error(String(stderr || stdout || '').trim());
  return optional('said', said.split('\n')[0] || undefined);
}

/** How it is told of a program that names no version. */
export function toNoVersion(said: string | undefined): string {
  return `it does not tell its version${said === undefined ? '' : ` (${toPlain(said)})`}`;
}
