import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, Script } from '@native-compaction/conformance';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { install, installedVendors, pidIn, runningIn, startCommand, told } from '../support/command-line.ts';
import { undocumented } from '../support/documented.ts';

type Told = { stdout: unknown; stderr: unknown; exitCode?: number | undefined };
const json = ({ stdout }: Told) => JSON.parse(String(stdout)) as Record<string, unknown>;
/** The native cancel, as it was written. */
const cancels = { claude: /"subtype":"interrupt"/, codex: /"method":"turn\/interrupt"/, pi: /"type":"abort"/ };
const writtenTo = (evidence: string) =>
  readFileSync(evidence, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"dir":"out"'))
    .join('\n');
const failed: Record<string, [number, RegExp]> = {
  claude: [11, /^failed \(native_failed\)\n/],
  codex: [12, /^aborted \(by you\)\n/],
  pi: [12, /^aborted \(by you\)\n/],
};

describe.each(installedVendors)('the command line on $name $version', (vendor) => {
  const { name, version } = vendor;
  let lab: Lab;
  let nativeId: string;
  let evidence: string;
  let release: () => void;
  /** Keeps every summary back until the test has ended. */
  let hold: () => { readonly asked: Promise<unknown> };
  const run = (...args: string[]) => startCommand(lab, args);

  beforeEach(async () => {
    const bench = await vendor.open();
    lab = bench;
    const gate = Promise.withResolvers<void>();
    release = gate.resolve;
    hold = () => {
      const script: Script = async ({ isCompaction }) => {
        if (isCompaction) await gate.promise;
        return { text: 'fine' };
      };
      lab.server.script(script);
      return { asked: lab.server.next((request) => request.isCompaction) };
    };
    evidence = join(lab.home, 'evidence.jsonl');
    install(lab, vendor);
    const session = await bench.open();
    await vendor.seed(session);
    nativeId = session.nativeId ?? '';
    await session.dispose();
  });
  afterEach(async () => {
    release();
    await lab.close();
  });

  test('R8 R9 P1 from doctor to the report: found, listed, compacted with another prompt, and shown', async () => {
    const asked = lab.server.requests.length;
    const doctor = json(await run('doctor', '--json')) as { runtimes: { runtime: string }[] };
    expect(undocumented('doctor', doctor)).toEqual([]);
    const { runtimes } = doctor;
    expect(runtimes.find(({ runtime }) => runtime === name)).toMatchObject({
      executable: join(lab.home, 'bin', name),
      version,
      isTested: true,
    });
    const listed = await run('sessions', name);
    expect(String(listed.stdout)).toMatch(new RegExp(`^ID .*\\n${nativeId} +\\S+ \\S+ +${lab.project} +\\S`));
    expect(undocumented('sessions', json(await run('sessions', name, '--json')))).toEqual([]);
    expect(json(await run('sessions', name, '--cwd', lab.home, '--json'))).toEqual([]);
    expect(lab.server.requests).toHaveLength(asked);

    const prompts = ['--system-prompt', 'NEW-SYSTEM', '--append-system-prompt', '@append.txt'];
    writeFileSync(join(lab.home, 'append.txt'), 'NEW-APPEND');
    const options = ['--instructions', 'KEEP-HERON', '--evidence', evidence, '--timeout', '40s', '--json'];
    const compacted = await run('compact', name, '--resume', nativeId, ...prompts, ...options);
    expect(compacted.exitCode, String(compacted.stderr)).toBe(0);
    expect(undocumented('compact', json(compacted))).toEqual([]);
    expect(json(compacted)).toMatchObject({
      status: 'completed',
      context: 'compacted',
      vendorVersion: version,
      prompt: { system: 'in-effect', append: 'in-effect' },
    });
    expect(String(compacted.stderr)).toMatch(/: opening the session · [\s\S]*: compacting · /);
    expect(JSON.stringify(lab.server.requests.find(({ isCompaction }) => isCompaction))).toContain('KEEP-HERON');

    expect(statSync(evidence).mode & 0o777).toBe(0o600);
    const shown = String((await run('report', evidence)).stdout);
    expect(shown).toMatch(/^completed\n/);
    const proof = shown.split('\n').filter((line) => line.startsWith('*'));
    expect(proof).toHaveLength((json(compacted).evidence as unknown[]).length);
    expect(proof[0]).toMatch(/ library → .*\(dispatched, frame \d+\)$/);
    const rows = shown.split('\n');
    const dispatched = rows.findIndex((line) => / library · compaction dispatched/.test(line));
    expect([dispatched > 0, rows.indexOf(proof[0] ?? '') - dispatched]).toEqual([true, 1]);
    expect(proof.at(-1)).toMatch({ claude: /← result success/, codex: /← turn\/completed/, pi: /← response compact/ }[name]);
    const page = join(lab.home, 'page.html');
    expect(await run('report', evidence, '--html', page)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(page, 'utf8').match(/<li class="proof"/g)).toHaveLength(proof.length);
    expect(statSync(page).mode & 0o777).toBe(0o600);
  });

  test('C1 C2 C4 the first Ctrl-C asks for a native cancel, and the native end is told', async () => {
    const { asked } = hold();
    const command = startCommand(lab, ['compact', name, '--resume', nativeId, '--evidence', evidence]);
    await asked;
    command.kill('SIGINT');
    const { exitCode, stdout, stderr } = await command;
    const [code, words] = failed[name] ?? [];
    expect(String(stdout)).toMatch(words ?? /never/);
    expect(String(stdout)).toMatch(
      name === 'claude' ? /\n {2}next +You cancelled it\. / : /\n {2}next +Ask again when you want it\./,
    );
    expect(String(stderr)).toMatch(/\nCtrl-C again stops waiting\.\n[^\n]*: asked to cancel, waiting for the native end · /);
    expect(exitCode).toBe(code);
    expect(writtenTo(evidence)).toMatch(cancels[name]);
    expect(() => process.kill(pidIn(evidence), 0)).toThrow('ESRCH');
  });

  test('R4 E1 the second stops the waiting: 13 and unconfirmed, although the agent answers nothing, and nothing is left running', async () => {
    const { asked } = hold();
    const command = startCommand(lab, ['compact', name, '--resume', nativeId, '--evidence', evidence]);
    await asked;
    // An agent that hangs: whatever it is asked, it cannot answer.
    const pid = pidIn(evidence);
    process.kill(-pid, 'SIGSTOP');
    const first = told(command, /asked to cancel/);
    command.kill('SIGINT');
    await first;
    command.kill('SIGINT');
    const { exitCode, stdout } = await command;
    expect(String(stdout)).toMatch(
      /^unconfirmed \(signal\)\n[\s\S]*\n {2}afterwards +the agent's own files say that history was not replaced/,
    );
    expect(exitCode).toBe(13);
    expect(writtenTo(evidence)).toMatch(cancels[name]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'R4 R5 E1 %s is told as a cancel and an end of the waiting, and the evidence is whole',
    async (signal) => {
      const { asked } = hold();
      const command = startCommand(lab, ['compact', name, '--resume', nativeId, '--evidence', evidence, '--json']);
      await asked;
      const pid = pidIn(evidence);
      process.kill(-pid, 'SIGSTOP');
      command.kill(signal);
      const ended = await command;
      expect(ended.exitCode, String(ended.stderr)).toBe(13);
      expect(json(ended)).toMatchObject({ status: 'unconfirmed', reason: 'signal', afterwards: { context: 'unchanged' } });
      expect(undocumented('compact', json(ended))).toEqual([]);
      expect(writtenTo(evidence)).toMatch(cancels[name]);
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      const shown = String((await run('report', evidence)).stdout);
      expect(shown).toMatch(
        /^unconfirmed \(signal\)\n[\s\S]*\n {2}afterwards +the agent's own files say that history was not replaced/,
      );
    },
  );

  test('R4 E1 a third Ctrl-C ends at once, with what was told and the code of it, and no process is left', async () => {
    const { asked } = hold();
    const command = startCommand(lab, ['compact', name, '--resume', nativeId, '--evidence', evidence, '--json']);
    await asked;
    const pid = pidIn(evidence);
    process.kill(-pid, 'SIGSTOP');
    for (const what of [/asked to cancel/, /ending the agent/]) {
      const next = told(command, what);
      command.kill('SIGINT');
      await next;
    }
    command.kill('SIGINT');
    const ended = await command;
    expect(ended.exitCode).toBe(13);
    expect(json(ended)).toMatchObject({ status: 'unconfirmed', reason: 'signal' });
    await expect.poll(() => runningIn(lab), { timeout: 5_000 }).toEqual([]);
  });

  test('R11 E1 a second Ctrl-C gives up a session that does not open: nothing is sent, nothing is left, no evidence of nothing', async () => {
    const mute = join(lab.home, 'mute');
    writeFileSync(mute, '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 1; done\n', { mode: 0o755 });
    const command = startCommand(lab, ['compact', name, '--resume', nativeId, '--evidence', evidence, '--executable', mute]);
    await told(command, /opening the session/);
    const next = told(command, /as soon as the session is open/);
    command.kill('SIGINT');
    await next;
    command.kill('SIGINT');
    const { exitCode, stdout, stderr } = await command;
    expect([exitCode, String(stdout)]).toEqual([1, '']);
    expect(String(stderr)).toMatch(/nothing was sent to be compacted\.$/);
    expect(existsSync(evidence)).toBe(false);
    expect(runningIn(lab)).toEqual([]);
  });
});
