import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Figures, Setup } from './probes/probe.ts';
import { rotated } from './ratios.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));
const flags = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning', '--expose-gc'];

export interface Run {
  readonly probe: string;
  readonly setup: Setup;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Runs one probe in a fresh process; rejects with the end of what it said when it fails. */
export function runProbe({ probe, setup, env = {}, timeoutMs = 120_000 }: Run): Promise<Figures> {
  const started = spawn(process.execPath, [...flags, child, probe, JSON.stringify(setup)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  let out = '';
  let err = '';
  started.stdout.on('data', (chunk) => {
    out = (out + chunk).slice(-10_000);
  });
  started.stderr.on('data', (chunk) => {
    err = (err + chunk).slice(-1_000);
  });
  return new Promise((resolve, reject) => {
    started.once('error', reject);
    started.once('close', (code, signal) => {
      const line = out.trimEnd().split('\n').at(-1) ?? '';
      if (code === 0 && line.startsWith('{')) return resolve(JSON.parse(line) as Figures);
      reject(new Error(`${probe} ${setup.contestant}: ${signal ?? `code ${code}`}: ${err.trim().slice(-300)}`));
    });
  });
}

/** Every contestant once a round, each round begun with another; what fails is left out of the rest and told by name. */
export async function runRounds(
  runs: readonly Run[],
  rounds: number,
): Promise<{ readonly figures: ReadonlyMap<string, readonly Figures[]>; readonly failures: ReadonlyMap<string, string> }> {
  const figures = new Map<string, Figures[]>(runs.map(({ setup }) => [setup.contestant, []]));
  const failures = new Map<string, string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const run of rotated(runs, round)) {
      const name = run.setup.contestant;
      if (failures.has(name)) continue;
      try {
        figures.get(name)?.push(await runProbe(run));
      } catch (error) {
        failures.set(name, String(error instanceof Error ? error.message : error));
        figures.delete(name);
      }
    }
  }
  return { figures, failures };
}
