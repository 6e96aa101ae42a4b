import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../vendors/', import.meta.url);
const sets = JSON.parse(readFileSync(new URL('vendors.json', folder), 'utf8')) as Record<string, string[]>;

/** The pinned versions of a vendor in the set that this run is about (`VENDORS`, default the newest). */
export function versionsOf(vendor: string): string[] {
  return versionsIn(sets[process.env.VENDORS ?? 'newest'] ?? [], vendor);
}

/** The pinned versions of a vendor in every set, oldest first. */
export function allVersionsOf(vendor: string): string[] {
  return versionsIn(Object.values(sets).flat(), vendor).sort();
}

function versionsIn(names: readonly string[], vendor: string): string[] {
  return names.flatMap((name) => (name.startsWith(`${vendor}-`) ? [name.slice(vendor.length + 1)] : []));
}

/** Codex's native binary of a pinned version, without the shim in front of it. */
export function codexExecutable(version: string): string {
  const triple = process.arch === 'arm64' ? 'aarch64-unknown-linux-musl' : 'x86_64-unknown-linux-musl';
  const platform = `@openai/codex-${process.platform}-${process.arch}`;
  const file = fileURLToPath(new URL(`codex-${version}/node_modules/${platform}/vendor/${triple}/bin/codex`, folder));
  if (!existsSync(file))
    throw new Error(`Codex ${version} is not installed: run "npm ci --ignore-scripts" in test/vendors/codex-${version}`);
  return file;
}

/** Claude Code's native binary of a pinned version; throws with the command that installs it. */
export function claudeExecutable(version: string): string {
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const file = fileURLToPath(new URL(`claude-${version}/node_modules/${platform}/claude`, folder));
  if (!existsSync(file))
    throw new Error(`Claude Code ${version} is not installed: run "npm ci --ignore-scripts" in test/vendors/claude-${version}`);
  return file;
}

/** Pi's command of a pinned version, as a file that this process's own Node runs. */
export function piScript(version: string): string {
  return piFile(version, 'dist/bundle/cli.js');
}

/** Pi's module of a pinned version, to be imported in process. */
export function piModule(version: string): string {
  return piFile(version, 'dist/index.js');
}

function piFile(version: string, name: string): string {
  const file = fileURLToPath(new URL(`pi-${version}/node_modules/@earendil-works/pi-coding-agent/${name}`, folder));
  if (!existsSync(file))
    throw new Error(`Pi ${version} is not installed: run "npm ci --ignore-scripts" in test/vendors/pi-${version}`);
  return file;
}
