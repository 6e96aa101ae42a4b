import { homedir } from 'node:os';

/**
 * Variables that are only meant for another agent's process and do not reach a child (E1). Those that choose an account
 * or a home (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `PI_CODING_AGENT_DIR`) are kept.
 */
export const strippedVariables: readonly string[] = [
  'PI_PACKAGE_DIR',
  'PI_SESSION_ID',
  'PI_SESSION_FILE',
  'PI_SESSION_DIR',
  'PI_SESSION_NAME',
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
];

/** The home that a child with this environment has. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** The child's environment: the host's, minus the stripped ones, with `overrides` laid over it; `undefined` removes. */
export function childEnvironment(
  overrides: Readonly<Record<string, string | undefined>> = {},
  host: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const merged: Record<string, string | undefined> = { ...host };
  for (const name of Object.keys(merged)) {
    if (strippedVariables.includes(name) || name.startsWith('PI_SESSION_')) delete merged[name];
  }
  Object.assign(merged, overrides);
  return Object.fromEntries(Object.entries(merged).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
