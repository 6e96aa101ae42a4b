import { execa } from 'execa';

/**
 * The guard's whole program. It is told process groups over its stdin and kills them when that pipe closes, which the
 * system does for a host that ends in any way, by SIGKILL too. In its own session, so a terminal's Ctrl-C passes it by.
 */
const program = `
const groups = new Set();
let rest = '';
const kill = (signal) => { for (const pid of groups) try { process.kill(-pid, signal) } catch { groups.delete(pid) } };
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) line[0] === '+' ? groups.add(Number(line.slice(1))) : groups.delete(Number(line.slice(1)));
}).on('end', () => { kill('SIGTERM'); if (groups.size) setTimeout(() => kill('SIGKILL'), 1000) });
`;

const guarded = new Set<number>();
let tell: ((line: string) => void) | undefined;

/** Registers a process group to be killed when this process ends in whatever way; the returned call takes it back. */
export function guardGroup(pid: number): () => void {
  guarded.add(pid);
  if (tell) tell(`+${pid}\n`);
  else startGuard();
  return () => {
    if (guarded.delete(pid)) tell?.(`-${pid}\n`);
  };
}

/** One guard for all sessions of this process; started again if somebody ended it. */
function startGuard(): void {
  const env = { ELECTRON_RUN_AS_NODE: '1' };
  const guard = execa(process.execPath, ['-e', program], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
    cwd: '/',
    env,
    extendEnv: false,
  });
  guard.nodeChildProcess.unref();
  guard.stdin.on('error', () => undefined);
  (guard.stdin as { unref?: () => void }).unref?.();
  guard.nodeChildProcess.once('exit', () => {
    tell = undefined;
    if (guarded.size > 0) startGuard();
  });
  guard.nodeChildProcess.once('error', () => undefined);
  tell = (line) => void guard.stdin.write(line);
  for (const pid of guarded) tell(`+${pid}\n`);
}
