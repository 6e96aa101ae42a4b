import { readFileSync } from 'node:fs';
import { createRedactor } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { startChild } from '../src/child-process.ts';

/** A process that starts a child in a session of its own, as Claude does with tool shells, and ignores all gentle ways. */
const program = `
  const { spawn } = require('node:child_process');
  process.on('SIGTERM', () => {});
  const inner = "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000); console.log('up ' + process.pid + ' end')";
  spawn(process.execPath, ['-e', inner], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
  setInterval(() => {}, 1000);`;

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('createProcessTree', () => {
  test('E1 what the vendor started in a session of its own does not outlive a forced end', async () => {
    const env = { PATH: process.env.PATH ?? '' };
    const child = await startChild({
      executable: process.execPath,
      args: ['-e', program],
      cwd: process.cwd(),
      env,
      redactor: createRedactor(),
    });
    const up = Promise.withResolvers<number>();
    let output = '';
    child.start({
      bytes(chunk) {
        output += chunk.toString();
        const pid = /up (\d+) end/.exec(output)?.[1];
        if (pid) up.resolve(Number(pid));
      },
      end: () => undefined,
    });
    const inner = await up.promise;
    await child.close(100);
    await expect.poll(() => isAlive(inner), { timeout: 5_000, interval: 20 }).toBe(false);
  });
});
