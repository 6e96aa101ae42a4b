import { findExecutable, readVersion, toNoVersion } from './executable.ts';
import type { Finding } from './render/doctor.ts';
import { installCommand, type KnownRuntime, type RuntimeName, runtimes } from './runtimes.ts';

/** What is installed of one agent: in PATH, or at a place of its own. Asks it for its version and nothing else. */
export async function examine(name: RuntimeName, place?: string): Promise<Finding> {
  const known: KnownRuntime = runtimes[name];
  const { title, capability } = known;
  const executable = place ?? findExecutable(known.executable);
  const common = { runtime: name, title, capability };
  const fix = installCommand(known);
  if (executable === undefined) return { ...common, isTested: false, missing: `no "${known.executable}" in PATH`, fix };
  const { version, said } = await readVersion(executable);
  if (version === undefined) return { ...common, executable, isTested: false, missing: toNoVersion(said), fix };
  const tested = capability.testedVersions;
  const isTested = tested.includes(version);
  const oldest = tested[0] ?? version;
  if (isTested || isNewer(version, oldest)) return { ...common, executable, version, isTested };
  return { ...common, executable, version, isTested, missing: `it is older than ${oldest}, the oldest that was tested`, fix };
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
