import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ClaudeBench } from './claude.ts';
import { definedOnly } from './sessions.ts';
import { claudeExecutable } from './vendors.ts';

/** Starts `host.ts`, a program of its own that uses the library; `detached` gives it its own process group. */
export function startHost(
  bench: ClaudeBench,
  { env = {}, detached = false }: { readonly env?: Readonly<Record<string, string>>; readonly detached?: boolean } = {},
): ChildProcessByStdio<null, Readable, null> {
  const args = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning', 'test/support/host.ts'];
  return spawn(process.execPath, [...args, claudeExecutable(bench.version), bench.project], {
    env: { ...definedOnly(bench.env), PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached,
  });
}
