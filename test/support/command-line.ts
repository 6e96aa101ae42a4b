import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Lab } from '@native-compaction/conformance';
import type { Session } from '@native-compaction/core';
import { execa } from 'execa';
import { openClaudeBench } from './claude.ts';
import { openCodexBench } from './codex.ts';
import { openPiBench, seed } from './pi.ts';
import { definedOnly, say } from './sessions.ts';
import { claudeExecutable, codexExecutable, piScript, versionsOf } from './vendors.ts';

/** A vendor as a user of the command line has it: in PATH, with a session of theirs. */
export interface InstalledVendor {
  readonly name: 'claude' | 'codex' | 'pi';
  readonly version: string;
  open(): Promise<Lab & { open(): Promise<Session> }>;
  seed(session: Session): Promise<void>;
  readonly executable: string;
}

const greet = (session: Session) => say(session, 'Remember the word heron.');

export const installedVendors: readonly InstalledVendor[] = [
  ...versionsOf('claude').map((version) => ({
    name: 'claude' as const,
    version,
    open: () => openClaudeBench(version),
    seed: greet,
    executable: claudeExecutable(version),
  })),
  ...versionsOf('codex').map((version) => ({
    name: 'codex' as const,
    version,
    open: () => openCodexBench(version),
    seed: greet,
    executable: codexExecutable(version),
  })),
  ...versionsOf('pi').map((version) => ({
    name: 'pi' as const,
    version,
    open: () => openPiBench({ version, surface: 'rpc' }),
    seed,
    executable: piScript(version),
  })),
];

const main = fileURLToPath(new URL('../../packages/cli/bin/native-compaction.mjs', import.meta.url));

/** The command as a process of its own, in a lab: nothing of this machine's homes, and a PATH of its own. */
export function startCommand(lab: Lab, args: readonly string[], env: Record<string, string> = {}) {
  const flags = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning'];
  return execa(process.execPath, [...flags, main, ...args], {
    env: { ...definedOnly(lab.env), PATH: pathOf(lab), ...env },
    extendEnv: false,
    cwd: lab.home,
    reject: false,
    stdin: 'ignore',
    timeout: 50_000,
  });
}

/** Puts the vendor's CLI where the command finds it. */
export function install(lab: Lab, { name, executable }: Pick<InstalledVendor, 'name' | 'executable'>): void {
  mkdirSync(join(lab.home, 'bin'));
  symlinkSync(executable, join(lab.home, 'bin', name));
}

/** Pi's command looks for a Node in PATH. */
function pathOf(lab: Lab): string {
  return [join(lab.home, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
}

/** Resolves when the command says so on its way. */
export async function told(command: { readonly stderr: Readable }, what: RegExp): Promise<void> {
  let seen = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  command.stderr.on('data', (chunk: Buffer) => {
    seen += String(chunk);
    if (what.test(seen)) resolve();
  });
  command.stderr.once('close', () => reject(new Error(`It never said ${what}: ${seen}`)));
  await promise;
}

/** The vendor's process, by what the evidence file says. */
export function pidIn(evidence: string): number {
  return (JSON.parse(readFileSync(evidence, 'utf8').split('\n')[0] ?? '') as { pid: number }).pid;
}
