import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Lab } from '@native-compaction/conformance';
import type { Session } from '@native-compaction/core';
import { execa } from 'execa';
import { MODEL, openClaudeBench } from './claude.ts';
import { openCodexBench } from './codex.ts';
import { openPiBench, MODEL as PI_MODEL, seed } from './pi.ts';
import { definedOnly, say } from './sessions.ts';
import { claudeExecutable, codexExecutable, piScript, versionsOf } from './vendors.ts';

/** A vendor as a user of the command line has it: in PATH, with a session of theirs. */
export interface InstalledVendor {
  readonly name: 'claude' | 'codex' | 'pi';
  readonly version: string;
  open(): Promise<Lab & { open(): Promise<Session> }>;
  seed(session: Session): Promise<void>;
  readonly executable: string;
  /** The words that make the CLI itself hold a session in its own store, a command line a turn. */
  readonly talk: readonly (readonly string[])[];
}

const TALK = 'Remember the word heron.';

const greet = (session: Session) => say(session, TALK);

export const installedVendors: readonly InstalledVendor[] = [
  ...versionsOf('claude').map((version) => ({
    name: 'claude' as const,
    version,
    open: () => openClaudeBench(version),
    seed: greet,
    executable: claudeExecutable(version),
    talk: [['-p', '--model', MODEL, TALK]],
  })),
  ...versionsOf('codex').map((version) => ({
    name: 'codex' as const,
    version,
    open: () => openCodexBench(version),
    seed: greet,
    executable: codexExecutable(version),
    talk: [['exec', '--skip-git-repo-check', TALK]],
  })),
  ...versionsOf('pi').map((version) => ({
    name: 'pi' as const,
    version,
    open: () => openPiBench({ version, surface: 'rpc' }),
    seed,
    executable: piScript(version),
    talk: [
      ['-p', '--model', PI_MODEL, `${TALK} ${'word '.repeat(40)}`],
      ['-p', '--continue', '--model', PI_MODEL, `${TALK} ${'word '.repeat(40)}`],
    ],
  })),
];

const main = fileURLToPath(new URL('../../packages/cli/bin/native-compaction.mjs', import.meta.url));

/** The command as a process of its own, from source, in a lab. */
export function startCommand(lab: Lab, args: readonly string[], env: StartOptions['env'] = {}) {
  const flags = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning'];
  return startIn(lab, process.execPath, [...flags, main, ...args], { env });
}

export interface StartOptions {
  /** A folder that stands first in PATH. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A process that sees nothing of this machine's homes, and has a PATH of its own. */
export function startIn(lab: Lab, file: string, args: readonly string[], { folder, env, cwd = lab.home }: StartOptions = {}) {
  const path = [...(folder ? [folder] : []), join(lab.home, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'];
  return execa(file, args, {
    env: { ...definedOnly(lab.env), PATH: path.join(':'), ...env },
    extendEnv: false,
    cwd,
    reject: false,
    stdin: 'ignore',
    timeout: 50_000,
  });
}

/** What still runs in a lab: every process that was given its home. */
export function runningIn(lab: Lab): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isOurs = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${lab.home}\0`);
      return isOurs ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

/** Puts the vendor's CLI where the command finds it. */
export function install(lab: Lab, { name, executable }: Pick<InstalledVendor, 'name' | 'executable'>): void {
  mkdirSync(join(lab.home, 'bin'));
  symlinkSync(executable, join(lab.home, 'bin', name));
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
