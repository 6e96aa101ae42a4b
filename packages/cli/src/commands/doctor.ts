import { findExecutable, readVersion } from '../executable.ts';
import { print, printJson } from '../output.ts';
import { type Finding, toDoctorLines } from '../render/doctor.ts';
import { installCommand, type RuntimeName, runtimeNames, runtimes } from '../runtimes.ts';

/** Looks at what is installed: asks each CLI for its version and nothing else. 0 if one can be used, else 1. */
export async function doctor({ json }: { readonly json?: true }): Promise<number> {
  const findings = await Promise.all(runtimeNames.map(examine));
  if (json) printJson({ node: process.versions.node, runtimes: findings });
  else for (const line of toDoctorLines(findings, process.stdout.columns)) print(line);
  return findings.some(({ version }) => version !== undefined) ? 0 : 1;
}

async function examine(name: RuntimeName): Promise<Finding> {
  const runtime = runtimes[name];
  const { title, capability } = runtime;
  const executable = findExecutable(runtime.executable);
  const common = { runtime: name, title, capability };
  const fix = installCommand(runtime);
  if (executable === undefined) return { ...common, isTested: false, missing: `no "${runtime.executable}" in PATH`, fix };
  const version = await readVersion(executable);
  if (version === undefined) return { ...common, executable, isTested: false, missing: 'it does not tell its version', fix };
  const tested: readonly string[] = capability.testedVersions;
  const isTested = tested.includes(version);
  const oldest = tested[0] ?? version;
  if (isTested || isNewer(version, oldest)) return { ...common, executable, version, isTested };
  return { ...common, executable, version, isTested, missing: `it is older than ${oldest}, the oldest that was tested`, fix };
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
