import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '@native-compaction/transport';
import { execa } from 'execa';

/** Where a command is in PATH, as a child would find it. */
export function findExecutable(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)))
    .find(isExecutable);
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

/** What `--version` says; absent where it says none. A JavaScript file is run with this process's own Node. */
export async function readVersion(executable: string): Promise<string | undefined> {
  const isScript = /\.[cm]?js$/.test(executable);
  const [file, args] = isScript ? [process.execPath, [executable, '--version']] : [executable, ['--version']];
  const options = { env: childEnvironment(quiet), extendEnv: false, stdin: 'ignore', reject: false, timeout: VERSION_TIMEOUT_MS };
  const { stdout } = await execa(file, args, options as { stdin: 'ignore'; reject: false });
  return /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(String(stdout ?? ''))?.[0];
}
