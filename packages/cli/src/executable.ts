import { randomUUID } from 'node:crypto';
import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createRedactor, type ExitFacts, isNativeCompactionError, NativeCompactionError } from '@native-compaction/core';
import { childEnvironment, optional, startChild } from '@native-compaction/transport';
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

/** How long a CLI may take to tell its version, and then to end when it is asked to. */
const VERSION_TIMEOUT_MS = 10_000;
/** How much of what it says is looked at. */
const MAX_CHARACTERS = 65_536;
/** How much of it is told, once it is redacted. */
const SAID_CHARACTERS = 200;

/** Whether it is a JavaScript file, which is run with this process's own Node. */
export function isScript(executable: string): boolean {
  return /\.[cm]?js$/.test(executable);
}

/**
 * What `--version` says, and in the place of a version the first line of what it said instead. Its home is a place where nothing is yet and
 * which goes with it, so that nothing of the user's is touched (Codex tidies its home at every start, and Claude Code 2.0.1 must be
 * able to make one), and it is ended with all it started.
 */
export async function readVersion(
  executable: string,
  timeoutMs = VERSION_TIMEOUT_MS,
): Promise<{ readonly version?: string; readonly said?: string }> {
  const [file, args] = isScript(executable) ? [process.execPath, [executable, '--version']] : [executable, ['--version']];
  const redactor = createRedactor(process.env);
  const home = join(tmpdir(), `native-compaction-version-${randomUUID()}`);
  try {
    const child = await startChild({
      executable: file,
      args,
      cwd: process.cwd(),
      env: childEnvironment({ ...quiet, CLAUDE_CONFIG_DIR: home, CODEX_HOME: home, PI_CODING_AGENT_DIR: home }),
      redactor,
    });
    let stdout = '';
    const ended = Promise.withResolvers<ExitFacts>();
    child.start({
      bytes(chunk) {
        if (stdout.length < MAX_CHARACTERS) stdout += String(chunk);
      },
      end: (_why, exit) => ended.resolve(exit),
    });
    // Closes its stdin at once, and ends it when the time is over.
    await child.close(timeoutMs);
    const { stderrTail } = await ended.promise;
    const version = /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(stdout)?.[0];
    if (version !== undefined) return { version };
    const said = redactor.error((stderrTail || stdout).trim());
    return optional('said', [...(said.split('\n')[0] ?? '')].slice(0, SAID_CHARACTERS).join('') || undefined);
  } catch (error) {
    return optional('said', isNativeCompactionError(error) ? error.message : undefined);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How it is told of a program that names no version. */
export function toNoVersion(said: string | undefined): string {
  return `it does not tell its version${said === undefined ? '' : ` (${toPlain(said)})`}`;
}
