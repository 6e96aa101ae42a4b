import { createRedactor, type ExitFacts } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { startChild } from '../src/child-process.ts';

const redactor = createRedactor();
const run = async (program: string, env: Record<string, string> = {}) => {
  const child = await startChild({
    executable: process.execPath,
    args: ['-e', program],
    cwd: process.cwd(),
    env: { PATH: process.env.PATH ?? '', ...env },
    redactor,
  });
  let output = '';
  const waiting = new Map<string, () => void>();
  const ended = Promise.withResolvers<{ why: string; exit: ExitFacts; output: string }>();
  let ends = 0;
  child.start({
    bytes(chunk) {
      output += chunk.toString();
      for (const [text, resolve] of waiting) if (output.includes(text)) resolve();
    },
    end(why, exit) {
      ends += 1;
      ended.resolve({ why, exit, output });
    },
  });
  const said = (text: string) =>
    output.includes(text) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(text, resolve));
  return { child, ended: ended.promise, said, ends: () => ends };
};
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('startChild', () => {
  test('one closing fact, after the last bytes, with the exit code and the end of stderr', async () => {
    const { ended, ends } = await run(
      `process.stdout.write('x'.repeat(3_000_000)); console.error('secret Bearer abcdefghijk'); process.exitCode = 7;`,
    );
    const { why, exit, output } = await ended;
    expect([why, exit.code, output.length]).toEqual(['process_exit', 7, 3_000_000]);
    expect(exit.stderrTail).not.toContain('abcdefghijk');
    expect(ends()).toBe(1);
  });

  test('close ends stdin first, and resolves when the process is gone', async () => {
    const { child, ended } = await run(`process.stdin.resume().on('end', () => { console.log('bye'); process.exit(0); });`);
    await child.close(5_000);
    expect(await ended).toMatchObject({ exit: { code: 0 }, output: 'bye\n' });
    await child.close(5_000);
  });

  test('close kills a process that ignores stdin and SIGTERM, and its children in the group', async () => {
    const program = `
      const { spawn } = require('node:child_process');
      process.on('SIGTERM', () => {});
      const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"], { stdio: ['ignore', 'inherit', 'inherit'] });
      console.log('child ' + child.pid + ' end');
      setInterval(() => {}, 1000);`;
    const { child, ended, said } = await run(program);
    await said('up');
    await child.close(100);
    const { exit, output } = await ended;
    expect(exit.signal).toBe('SIGKILL');
    const grandchild = Number(/child (\d+) end/.exec(output)?.[1]);
    await expect.poll(() => isAlive(grandchild), { timeout: 5_000 }).toBe(false);
  });

  test('T9 what the process wrote before it ended is read to the end, though it is paused once more', async () => {
    const { child, ended } = await run(`process.stdout.write('x'.repeat(90_000))`);
    child.pause();
    while (isAlive(child.pid)) await new Promise((resolve) => setImmediate(resolve));
    child.pause();
    expect((await ended).output.length).toBe(90_000);
  });

  test('T9 a host that keeps the event loop after the exit for longer than output is waited for loses nothing of it', async () => {
    const { child, ended } = await run(`process.stdout.write('x'.repeat(90_000))`);
    child.pause();
    while (isAlive(child.pid)) await new Promise((resolve) => setImmediate(resolve));
    for (const until = performance.now() + 1_200; performance.now() < until; );
    expect((await ended).output.length).toBe(90_000);
  });

  test('output that ends while the process lives is transport_lost, and the process is ended', async () => {
    const { ended, child } = await run(`require('node:fs').closeSync(1); setInterval(() => {}, 1000);`);
    expect(await ended).toMatchObject({ why: 'transport_lost' });
    await expect.poll(() => isAlive(child.pid), { timeout: 5_000 }).toBe(false);
  });

  test('input that the process no longer takes is transport_lost too', async () => {
    const { ended, child, said } = await run(
      `require('node:fs').closeSync(0); console.log('closed'); setInterval(() => {}, 1000);`,
    );
    await said('closed');
    child.write('anything\n');
    expect(await ended).toMatchObject({ why: 'transport_lost' });
    await expect.poll(() => isAlive(child.pid), { timeout: 5_000 }).toBe(false);
  });

  test('writing to a process that is gone is answered by its end, not by a throw', async () => {
    const { child, ended } = await run('process.exit(0)');
    await ended;
    child.write('anything\n');
    await child.close(10);
  });

  test('what is written in one tick leaves in order', async () => {
    const { child, said } = await run(`process.stdin.on('data', (data) => console.log(JSON.stringify(String(data))));`);
    child.write('a');
    child.write('b');
    await Promise.resolve();
    child.write('c');
    await said('abc');
    await child.close(1_000);
  });
});
