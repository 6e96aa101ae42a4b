import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { mayBeAlive, toVendorProcess } from '../src/process-facts.ts';

test('a process is alive until it is gone; one of the same number with another start is another', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  const facts = toVendorProcess(child.pid ?? 0);
  expect(mayBeAlive(facts)).toBe(true);
  expect(mayBeAlive({ pid: facts.pid })).toBe(true);
  expect(mayBeAlive({ ...facts, started: '1' })).toBe(process.platform !== 'linux');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  expect(mayBeAlive(facts)).toBe(false);
  expect(mayBeAlive({ pid: facts.pid })).toBe(false);
});

test('a group whose leader is gone lives on in its other processes', async () => {
  const program = "const c = require('child_process').spawn('sleep', ['60']); console.log(c.pid)";
  const leader = spawn(process.execPath, ['-e', `${program}; process.stdin.resume()`], { detached: true });
  const [line] = (await once(leader.stdout, 'data')) as [Buffer];
  const facts = toVendorProcess(leader.pid ?? 0);
  const gone = once(leader, 'exit');
  leader.kill('SIGKILL');
  await gone;
  expect(mayBeAlive(facts)).toBe(true);
  if (process.platform === 'linux') expect(mayBeAlive(facts, false)).toBe(false);
  process.kill(Number(String(line)), 'SIGKILL');
  for (const end = Date.now() + 5_000; mayBeAlive(facts) && Date.now() < end; ) await new Promise((done) => setImmediate(done));
  expect(mayBeAlive(facts)).toBe(false);
});

test('what is not known may be alive', () => {
  expect(mayBeAlive(undefined)).toBe(true);
});
