import { join, resolve } from 'node:path';
import { homeOf } from '@native-compaction/transport';

/** Where Pi keeps its sessions: as its arguments say, else as its environment does, else below its own folder in the home. */
export function sessionFolder(env: Readonly<Record<string, string | undefined>>, args: readonly string[] = []): string {
  const given = args[args.lastIndexOf('--session-dir') + 1];
  if (args.includes('--session-dir') && given !== undefined) return given;
  if (env.PI_CODING_AGENT_SESSION_DIR) return env.PI_CODING_AGENT_SESSION_DIR;
  return join(env.PI_CODING_AGENT_DIR || join(homeOf(env), '.pi/agent'), 'sessions');
}

/** The folder of one working folder's sessions below an `agentDir`, named as Pi names it (1.4.0 to 1.6.0). */
export function groupOf(agentDir: string, cwd: string): string {
  const name = resolve(cwd)
    .replace(/^[/\\]/, '')
    .replace(/[/\\:]/g, '-');
  return join(agentDir, 'sessions', `--${name}--`);
}
