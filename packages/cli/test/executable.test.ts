import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readVersion } from '../src/executable.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (script: string) => {
  const file = join(folder, 'agent');
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
};
const alive = (pid: number) => {
  try {
    // A process that has ended and was not yet collected is gone.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
};

test('a program that hangs behind its own children is ended with them, in the time it has', async () => {
  const pids = join(folder, 'pids');
  const hanging = program(`trap "" TERM; sleep 300 & echo $! $$ > ${pids}; sleep 300; sleep 300`);
  expect(await readVersion(hanging, 500)).toEqual({});
  for (const pid of readFileSync(pids, 'utf8').trim().split(' ').map(Number)) expect(alive(pid), `${pid}`).toBe(false);
});

test('one that says its version and leaves children with its output behind has told it, and they are ended', async () => {
  const pids = join(folder, 'pids');
  const leaving = program(`sleep 300 & echo $! > ${pids}; echo agent 1.2.3`);
  expect(await readVersion(leaving, 5_000)).toEqual({ version: '1.2.3' });
  expect(alive(Number(readFileSync(pids, 'utf8')))).toBe(false);
});

test('one that never stops talking is not listened to for ever', async () => {
  const { said } = await readVersion(program("while :; do printf 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'; done"), 300);
  expect(said).toBe('y'.repeat(200));
});

test('none that is asked finds the home of the user, but a place that it can make one at, which goes with it', async () => {
  const isOne = '[ "$CLAUDE_CONFIG_DIR" = "$CODEX_HOME" ] && [ "$CODEX_HOME" = "$PI_CODING_AGENT_DIR" ]';
  const curious = program(`${isOne} && mkdir "$CODEX_HOME" && echo x > "$CODEX_HOME/x" && echo "$CODEX_HOME" >&2`);
  const { said = '' } = await readVersion(curious, 5_000);
  expect(said).toMatch(/native-compaction-version-[^/]+$/);
  expect(existsSync(said)).toBe(false);
});

test('what it says in the place of a version has no key in it, and what cannot be started is told as that', async () => {
  const key = `sk-${'k9'.repeat(20)}`;
  expect(await readVersion(program(`echo "bad key ${key}" >&2; exit 3`), 5_000)).toEqual({ said: 'bad key [redacted]' });
  writeFileSync(join(folder, 'broken'), '#!/no/such/program\n', { mode: 0o755 });
  expect(await readVersion(join(folder, 'broken'), 5_000)).toEqual({ said: expect.stringMatching(/^Cannot start /) });
});
