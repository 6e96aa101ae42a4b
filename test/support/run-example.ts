import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Runs an example as a program of its own, with the loopback model in this process. */
export async function runExample(file: string, env: Record<string, string>, cwd: string) {
  const result = await execa(
    process.execPath,
    ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning', `${examples}${file}`],
    { env, extendEnv: false, cwd, reject: false, timeout: 45_000 },
  );
  return { stdout: result.stdout, stderr: result.stderr, status: result.exitCode };
}
