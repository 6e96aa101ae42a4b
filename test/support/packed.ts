import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A folder of its own, with the packed packages installed as a user has them. */
export interface PackedInstall {
  readonly folder: string;
  /** The command that npm puts there. */
  readonly command: string;
  remove(): void;
}

/** Builds and packs every package beside the working tree, and installs the packs in a clean folder. */
export async function installPacked(): Promise<PackedInstall> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'native-compaction-packed-')));
  const [copies, folder] = [join(place, 'packages'), join(place, 'user')];
  mkdirSync(folder);
  const names = readdirSync(join(root, 'packages'));
  for (const name of names) {
    const copy = join(copies, name);
    const isSource = (path: string) => !/\/(?:node_modules|dist|test)(?:\/|$)/.test(path.slice(root.length));
    cpSync(join(root, 'packages', name), copy, { recursive: true, filter: isSource });
    const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');
    await execa(process.execPath, [tsup, '--config', join(root, 'tsup.config.ts'), '--silent', '--no-dts'], { cwd: copy });
  }
  await execa('npm', ['pack', '--silent', ...names.map((name) => join(copies, name))], { cwd: place });
  // The packs stand for each other too: nobody is to be asked for a package of ours that is not published.
  const packs = readdirSync(place).filter((name) => name.endsWith('.tgz'));
  const dependencies = Object.fromEntries(packs.map((name) => [nameOf(name), `file:${join(place, name)}`]));
  const overrides = Object.fromEntries(packs.map((name) => [nameOf(name), `$${nameOf(name)}`]));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module', dependencies, overrides }),
  );
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', '--ignore-scripts'];
  await execa('npm', ['install', ...quiet], { cwd: folder });
  return {
    folder,
    command: join(folder, 'node_modules/.bin/native-compaction'),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** `native-compaction-core-0.1.0.tgz` is of `@native-compaction/core`; the command has no scope. */
function nameOf(pack: string): string {
  const name = pack.replace(/-\d+\.\d+\.\d+\.tgz$/, '');
  return name === 'native-compaction' ? name : name.replace('native-compaction-', '@native-compaction/');
}
