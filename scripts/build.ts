import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

/** Builds every package; their types come from source, so the order does not matter. */
for (const name of readdirSync('packages')) {
  const args = [resolve('node_modules/tsup/dist/cli-default.js'), '--config', resolve('tsup.config.ts'), '--silent'];
  const { status } = spawnSync(process.execPath, args, { cwd: resolve('packages', name), stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
