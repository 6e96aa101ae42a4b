import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('in a clone that was not built it says in one line what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
  try {
    for (const part of ['bin', 'package.json']) cpSync(join('packages/cli', part), join(folder, part), { recursive: true });
    const main = join(folder, 'bin/native-compaction.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'doctor'], { encoding: 'utf8', env: {} });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^native-compaction is not built yet\. [^\n]*"npm run build"[^\n]*\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
