import { execa } from 'execa';

/**
 * The guard's whole program. It is told process groups over its stdin and kills them, with their descendants, when that pipe closes, which the
 * system does for a host that ends in any way, by SIGKILL too. In its own session, so a terminal's Ctrl-C passes it by.
 */
const program = `
const fs = require('node:fs');
const groups = new Set();
let rest = '';
const send = (pid, signal) => { try { process.kill(pid, signal) } catch {} };
const parents = () => fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).flatMap((name) => {
  try { const text = fs.readFileSync('/proc/' + name + '/stat', 'utf8'); return [[Number(name), Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])]] } catch { return [] }
});
const below = (roots) => {
  const all = new Set(roots);
  if (process.platform !== 'linux') return all;
  const pairs = parents();
  for (let size = -1; size !== all.size;) { size = all.size; for (const [pid, parent] of pairs) if (all.has(parent)) all.add(pid) }
  return all;
};
const end = () => {
  const found = below(groups);
  for (const signal of ['SIGTERM', 'SIGKILL']) setTimeout(() => {
    for (const pid of groups) send(-pid, signal);
    if (signal === 'SIGKILL') for (const pid of found) send(pid, signal);
  }, signal === 'SIGTERM' ? 0 : 1000);
};
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) line[0] === '+' ? groups.add(Number(line.slice(1))) : groups.delete(Number(line.slice(1)));
}).on('end', () => { if (groups.size) end() });
`;

const guarded = new Set<number>();
let tell: ((line: string) => void) | undefined;

/** Registers a process group to be killed when this process ends in whatever way. */
export function guardGroup(pid: number): void {
  guarded.add(pid);
  if (tell) tell(`+${pid}\n`);
  else startGuard();
}

/** Takes it back: the group has ended. */
export function unguardGroup(pid: number): void {
  if (guarded.delete(pid)) tell?.(`-${pid}\n`);
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
