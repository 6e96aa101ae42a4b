import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createPromptFiles } from '../src/rpc/prompt-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'prompt-files-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Another process that makes files and ends in its own way. */
function end(how: string) {
  const module = resolve('packages/pi/src/rpc/prompt-files.ts');
  const code = `import { createPromptFiles } from ${JSON.stringify(module)}; createPromptFiles({ system: 'S' }); ${how}`;
  const { signal } = spawnSync(process.execPath, ['--experimental-strip-types', '--input-type=module', '-e', code], {
    env: { ...process.env, TMPDIR: folder },
  });
  return { signal, left: readdirSync(folder).length };
}

test('files go with the process, and those of one that was killed go with the next', () => {
  expect(end('process.exit(1)')).toEqual({ signal: null, left: 0 });
  expect(end("process.kill(process.pid, 'SIGKILL')")).toEqual({ signal: 'SIGKILL', left: 1 });
  for (const name of ['SIGTERM', 'SIGINT']) {
    expect(end(`process.kill(process.pid, '${name}'); setInterval(() => {}, 1000)`)).toEqual({ signal: name, left: 1 });
  }
  expect(
    end("process.on('SIGINT', () => process.exit(130)); process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000)"),
  ).toEqual({ signal: null, left: 0 });
  vi.stubEnv('TMPDIR', folder);
  const first = createPromptFiles({ system: 'S' });
  const second = createPromptFiles({ append: 'A' });
  expect(readdirSync(folder)).toHaveLength(2);
  first.remove();
  expect(existsSync(dirname(second.args[1] ?? ''))).toBe(true);
  second.remove();
  expect(readdirSync(folder)).toEqual([]);
});
