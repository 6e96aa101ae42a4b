import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conformanceCases, type Lab, openClaudeLab } from '@native-compaction/conformance';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { install, installedVendors, runningIn, startCommand, told } from '../support/command-line.ts';
import { undocumented } from '../support/documented.ts';

const few = ['--only', 'one-result', 'misuse', 'zero-timeout'];
/** A frame without which nothing proves that a compaction ran whole. */
const proofs = { claude: 'compact_boundary', codex: 'contextCompaction', pi: 'compaction_end' };
const titles = { claude: 'Claude Code', codex: 'Codex', pi: 'Pi' };

let lab: Lab;
beforeEach(async () => {
  lab = await openClaudeLab();
});
afterEach(() => lab.close());

describe.each(installedVendors)('the conformance command on $name $version', (vendor) => {
  const { name, version, executable } = vendor;
  const run = (...args: string[]) => startCommand(lab, ['conformance', name, ...args], { ANTHROPIC_API_KEY: 'key-of-the-user' });

  test('R1 R3 the CLI in PATH conforms, and no account and no home of the user is asked', async () => {
    install(lab, vendor);
    const { stdout, stderr, exitCode } = await run(...few);
    expect(exitCode, String(stdout)).toBe(0);
    expect(String(stdout)).toMatch(
      new RegExp(`^${titles[name]} ${version} at ${join(lab.home, 'bin', name)}, against a model on 127`),
    );
    expect(String(stdout)).toMatch(/\npassed +R1 R8 .*a compaction that runs whole is completed/);
    expect(String(stdout)).toMatch(/\n\d passed[\w ,]*\. These are \d of 52 cases, and a part does not say that it conforms\.$/);
    expect(String(stderr)).toMatch(/: case 1 of \d, R1 /);
    // The provider of this lab is what the user's own would be.
    expect(lab.server.requests).toEqual([]);
  });

  test('R8 a CLI that keeps a frame to itself is told by the promise and the frames, here, as JSON and as a page', async () => {
    const forgetful = join(lab.home, 'forgetful');
    writeFileSync(forgetful, `#!/bin/sh\n${toCommand(executable)} "$@" | grep --line-buffered -v ${proofs[name]}\n`, {
      mode: 0o755,
    });
    const page = join(lab.home, 'page.html');
    const { stdout, exitCode } = await run('--executable', forgetful, '--only', 'one-result', '--html', page);
    expect(exitCode, String(stdout)).toBe(1);
    expect(String(stdout)).toMatch(/\nFAILED: a compaction that runs whole is completed/);
    expect(String(stdout)).toMatch(
      /\n {2}promise {2}R8 proof-found: a compaction that ran whole is completed\n {2}seen {5}\{"status":"unconf/,
    );
    expect(String(stdout)).toMatch(/\n {2}the last \d+ frames\n {4} *\d+\.\d{3} s [→←] /);
    expect(String(stdout)).toMatch(/[12] failed[\w ,]*\. It does not conform\.$/);
    expect(readFileSync(page, 'utf8')).toMatch(/<h1 class="failed">[\s\S]*R8 proof-found[\s\S]*<details>/);
    expect(statSync(page).mode & 0o777).toBe(0o600);
    const told = JSON.parse(String((await run('--executable', forgetful, '--only', 'one-result', '--json')).stdout));
    expect(told).toMatchObject({ executable: forgetful, version, conforms: false, isWhole: false });
    expect(undocumented('conformance', told)).toEqual([]);
    expect(told.failures[0]).toMatchObject({ broken: { promise: 'R8', requirement: 'proof-found' } });
    expect(told.failures[0].frames.length).toBeGreaterThan(5);
  });

  test('R8 what is not that agent is told as that before any case, with what to do', async () => {
    const other = await run('--executable', process.execPath);
    expect(other.exitCode).toBe(2);
    expect(String(other.stderr)).toMatch(
      new RegExp(`does not act as ${titles[name]}: no session could be opened: [\\s\\S]*--executable PATH`),
    );
  });

  test('R4 Ctrl-C stops after the case that runs, and tells what was seen', async () => {
    install(lab, vendor);
    const command = run();
    await told(command, new RegExp(`: case 1 of ${conformanceCases.length}, `));
    command.kill('SIGINT');
    const { stdout, exitCode } = await command;
    expect(exitCode).toBe(1);
    expect(String(stdout)).toMatch(new RegExp(`\n1 passed\\. Stopped after 1 of ${conformanceCases.length} cases\\.$`));
  });

  test.each([
    ['a second Ctrl-C', ['SIGINT', 'SIGINT']],
    ['SIGTERM', ['SIGTERM']],
  ] as const)('E1 E2 %s ends what runs, and leaves no lab, no page and no process', async (_what, signals) => {
    // It tells its version and then nothing any more, so that a session is being opened for as long as this takes.
    const mute = join(lab.home, 'mute');
    const script = `#!/bin/sh\n[ "$1" = --version ] && echo ${version} && exit\ntrap "" TERM\nwhile :; do sleep 1; done\n`;
    writeFileSync(mute, script, { mode: 0o755 });
    const page = join(lab.home, 'page.html');
    const temporary = join(lab.home, 'temporary');
    mkdirSync(temporary);
    const labs = () => readdirSync(temporary).filter((folder) => folder.startsWith('native-compaction-'));
    const args = ['conformance', name, '--executable', mute, '--html', page];
    const command = startCommand(lab, args, { TMPDIR: temporary });
    await expect.poll(labs, { timeout: 10_000 }).toHaveLength(1);
    for (const [index, signal] of signals.entries()) {
      const next = told(command, index === signals.length - 1 ? /ending what runs/ : /stopping after this case/);
      command.kill(signal);
      await next;
    }
    const { exitCode, stdout } = await command;
    expect([exitCode, String(stdout)]).toEqual([1, '']);
    expect([labs(), existsSync(page)]).toEqual([[], false]);
    await expect.poll(() => runningIn(lab), { timeout: 5_000 }).toEqual([]);
  });

  test("E2 the user's own homes are as they were", async () => {
    install(lab, vendor);
    const homes = ['.claude', '.codex', '.pi'].map((folder) => join(lab.home, folder));
    for (const folder of homes) mkdirSync(folder);
    // Codex tidies no home that is below the folder for temporary files.
    const temporary = join(lab.home, 'temporary');
    mkdirSync(temporary);
    const env = { HOME: lab.home, TMPDIR: temporary, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', PI_CODING_AGENT_DIR: '' };
    for (const args of [['doctor'], ['conformance', name, '--only', 'one-result']]) {
      const { exitCode, stderr } = await startCommand(lab, args, env);
      expect(exitCode, String(stderr)).toBe(0);
    }
    expect(homes.flatMap((folder) => readdirSync(folder))).toEqual([]);
  });
});

function toCommand(executable: string): string {
  return executable.endsWith('.js') ? `${process.execPath} ${executable}` : executable;
}
