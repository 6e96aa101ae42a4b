import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_SUMMARY, type Lab } from '@native-compaction/conformance';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { install, installedVendors, runningIn, startIn } from '../support/command-line.ts';
import { installPacked, type PackedInstall } from '../support/packed.ts';

let packed: PackedInstall;
let lab: Lab;
beforeAll(async () => {
  packed = await installPacked();
}, 300_000);
afterAll(() => packed.remove());

/** An id as every agent's look, of no session. */
const NOBODY = '00000000-0000-4000-8000-000000000000';
const ESCAPE = '\u001b';
const key = `sk-${'k9'.repeat(20)}`;
const folder = () => join(packed.folder, 'node_modules/.bin');
/** The command as npm put it there, by its name. */
const use = (...args: string[]) => startIn(lab, 'native-compaction', args, { folder: folder() });
const shell = (line: string, env: Record<string, string> = {}) =>
  startIn(lab, '/bin/bash', ['-c', line], { folder: folder(), env });
/** On a terminal of so many columns; what it printed. A compaction goes on once `moves` was seen. */
const onTerminal = async (line: string, columns: number, env: Record<string, string> = {}, moves = / · \d/) => {
  const seen = Promise.withResolvers<void>();
  lab.server.script(async ({ isCompaction }) => {
    if (isCompaction) await seen.promise;
    return { text: 'fine' };
  });
  const script = `stty cols ${columns} rows 24; ${line}`;
  const options = { folder: folder(), env: { TERM: 'xterm-256color', ...env } };
  const command = startIn(lab, 'script', ['-qec', script, '/dev/null'], options);
  let text = '';
  command.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk);
    if (moves.test(text)) seen.resolve();
  });
  await command;
  return text;
};
const told = async (command: ReturnType<typeof use>) => {
  const { exitCode, stdout, stderr } = await command;
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
};
const file = (name: string) => join(lab.home, name);
type Vendor = (typeof installedVendors)[number];

/** A session that the CLI itself held, as a user has one. */
async function hold({ name, talk }: Vendor): Promise<string> {
  for (const words of talk) {
    const { exitCode, stderr } = await startIn(lab, name, words, { cwd: lab.project });
    expect(exitCode, String(stderr)).toBe(0);
  }
  const [newest] = JSON.parse((await told(use('sessions', name, '--json'))).stdout) as { nativeId: string }[];
  return newest?.nativeId ?? '';
}

async function openLab(vendor: Vendor): Promise<void> {
  lab = await vendor.open();
  install(lab, vendor);
}

describe.each(installedVendors)('from a packed install, on a session that $name $version made', (vendor) => {
  const { name } = vendor;
  beforeEach(() => openLab(vendor));
  afterEach(() => lab.close());

  test('R8 R9 E1 E4 found, compacted, reported: no secret in what is printed or written, files 0600, nothing left running', async () => {
    lab.server.script(({ isCompaction }) => ({ text: isCompaction ? `${DEFAULT_SUMMARY} ${key}` : `The key is ${key}.` }));
    const id = await hold(vendor);
    const doctor = await told(use('doctor'));
    const sessions = await told(use('sessions', name));
    expect([doctor.exitCode, sessions.exitCode]).toEqual([0, 0]);
    const compacted = await told(use('compact', name, '--resume', id, '--evidence', 'evidence.jsonl', '--json'));
    expect(compacted.exitCode, compacted.stderr).toBe(0);
    expect(JSON.parse(compacted.stdout)).toMatchObject({ status: 'completed', context: 'compacted' });
    const shown = await told(use('report', 'evidence.jsonl'));
    const page = await told(use('report', 'evidence.jsonl', '--html', 'page.html'));
    expect([shown.exitCode, page.exitCode]).toEqual([0, 0]);
    expect(shown.stdout).toMatch(/^completed\n/);
    for (const written of ['evidence.jsonl', 'page.html']) expect(statSync(file(written)).mode & 0o777, written).toBe(0o600);
    const everything = [doctor, sessions, compacted, shown, page].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const text of [...everything, readFileSync(file('evidence.jsonl'), 'utf8'), readFileSync(file('page.html'), 'utf8')]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain('dummy-key-for-loopback');
    }
    expect(runningIn(lab)).toEqual([]);
  });

  test('R9 a provider that answers with the key it was sent: failed, and the key is not in what is told', async () => {
    const id = await hold(vendor);
    lab.server.script(() => ({ status: 400, message: `bad key dummy-key-for-loopback and ${key}` }));
    const { exitCode, stdout, stderr } = await told(use('compact', name, '--resume', id, '--evidence', 'evidence.jsonl'));
    expect([exitCode, stdout]).toEqual([11, expect.stringMatching(/^failed \(native_failed\)\n[\s\S]*\n {2}agent said /)]);
    for (const text of [stdout, stderr, readFileSync(file('evidence.jsonl'), 'utf8')])
      expect(text).not.toMatch(new RegExp(`dummy-key-for-loopback|${key}`));
    expect(runningIn(lab)).toEqual([]);
  });

  test('R8 ids of nothing: what is wrong, how to see the right ones, and no evidence of nothing', async () => {
    for (const id of ['nonsense', NOBODY, '--help-me']) {
      const { exitCode, stdout, stderr } = await told(use('compact', name, `--resume=${id}`, '--evidence', 'evidence.jsonl'));
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(new RegExp(`To see what can be resumed: native-compaction sessions ${name}$`));
      expect(existsSync(file('evidence.jsonl'))).toBe(false);
    }
    expect(runningIn(lab)).toEqual([]);
  });
});

describe.each(installedVendors.filter(({ name }) => name === 'claude'))(
  'the quick start of the README, on $name $version',
  (vendor) => {
    const block = (language: string, holding: string, page = 'README.md') =>
      [...readFileSync(page, 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
        .map((match) => match[1] ?? '')
        .find((code) => code.includes(holding)) ?? '';
    beforeEach(() => openLab(vendor));
    afterEach(() => lab.close());

    test('E3 G2 a Claude Code that is too old to be asked for its commands: refused, with its version and the command that installs a newer one', async () => {
      const id = await hold(vendor);
      const old = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
      await execa('npm', [...old, '@anthropic-ai/claude-code@2.0.1'], { cwd: lab.home });
      const executable = join(lab.home, 'node_modules/.bin/claude');
      const { exitCode, stdout, stderr } = await told(use('compact', 'claude', '--resume', id, '--executable', executable));
      expect([exitCode, stdout]).toEqual([10, expect.stringMatching(/^rejected \(not_ready\)\n/)]);
      expect(stderr).toMatch(
        /\nClaude Code 2\.0\.1: it is older than 2\.1\.316, the oldest that was tested\. To install the newest that was tested: npm install/,
      );
      expect(runningIn(lab)).toEqual([]);
    }, 120_000);

    test('R8 the program runs exactly as written', async () => {
      const program = join(packed.folder, 'quick-start.mjs');
      writeFileSync(program, block('ts', 'session.compact()'));
      const { exitCode, stdout, stderr } = await told(startIn(lab, process.execPath, [program], { cwd: lab.project }));
      expect([exitCode, stdout, stderr]).toEqual([0, 'completed compacted', '']);
      expect(runningIn(lab)).toEqual([]);
    });

    test('R8 E2 the lab of docs/adding-a-backend.md is opened exactly as written, and asks nothing of the home it is run from', async () => {
      const program = join(packed.folder, 'lab.mjs');
      writeFileSync(program, block('ts', 'openClaudeLab()', 'docs/adding-a-backend.md'));
      const { exitCode, stdout, stderr } = await told(startIn(lab, process.execPath, [program], { cwd: lab.project }));
      expect([exitCode, stdout, stderr]).toEqual([0, 'completed 1', '']);
      expect([lab.server.requests, runningIn(lab)]).toEqual([[], []]);
    });

    test('R8 the commands run exactly as written, with the id that the second one names', async () => {
      const id = await hold(vendor);
      const lines = block('sh', 'npx native-compaction').trim().split('\n');
      expect(lines.map((line) => line.split(' ')[2])).toEqual(['doctor', 'sessions', 'compact', 'report']);
      for (const line of lines) {
        const run = startIn(lab, '/bin/bash', ['-c', line.replace(' ID ', ` ${id} `)], { cwd: packed.folder });
        const { exitCode, stderr } = await told(run);
        expect(exitCode, `${line}: ${stderr}`).toBe(0);
      }
      expect(readFileSync(join(packed.folder, 'evidence.html'), 'utf8')).toMatch(/<h1 class="completed">/);
      expect(runningIn(lab)).toEqual([]);
    });
  },
);

const codex = installedVendors.filter(({ name }) => name === 'codex').slice(0, 1);

describe.each(codex)('from a packed install, whatever the agent ($name $version)', (vendor) => {
  const { name } = vendor;
  let id: string;
  beforeAll(async () => {
    await openLab(vendor);
    id = await hold(vendor);
    const { exitCode, stderr } = await told(use('compact', name, '--resume', id, '--evidence', 'evidence.jsonl'));
    expect(exitCode, stderr).toBe(0);
  });
  afterAll(() => lab.close());

  test.each([
    [['compct'], /Did you mean compact\?/],
    [['compact', 'codexx', '--resume', 'x'], /It is one of claude, codex, pi\./],
    [['compact', 'codex'], /required option '--resume <id>'/],
    [['compact', 'codex', '--resume', 'x', '--timout', '3m'], /Did you mean --timeout\?/],
    [['compact', 'codex', '--resume', 'x', '--timeout', '3'], /number with its unit/],
    [['compact', 'codex', '--resume', 'x', '--system-prompt', '@none'], /cannot be read \(ENOENT\)/],
    [
      ['compact', 'codex', '--resume', NOBODY, '--executable', './none'],
      /home\/none is no program that can be started\.\nTo install it: npm/,
    ],
    [['compact', 'codex', '--resume', 'nonsense'], /^--resume: "nonsense" does not look like a session id of Codex\.\nTo see/],
    [['compact', 'codex', '--resume', ''], /'--resume <id>' argument '' is invalid\. It is empty\./],
    [['compact', 'codex', '--resume', 'x', '--instructions', ''], /It is empty\./],
    [['compact', 'codex', '--resume', 'x', '--evidence', ''], /It is empty\./],
    [['compact', 'codex', '--resume', 'x', '--timeout', '0s'], /more than nothing/],
    [['compact', 'codex', '--resume', NOBODY, '--evidence', 'evidence.jsonl'], /EEXIST: something of that name is there already/],
    [['compact', 'codex', '--resume', NOBODY, '--cwd', 'none'], /^The folder to work in \(--cwd\) is none: .*none$/m],
    [['sessions'], /missing required argument 'runtime'/],
    [['report', 'none.jsonl'], /Cannot read none\.jsonl \(ENOENT\)\. Name a file that "compact --evidence" wrote/],
    [['report', 'codex/config.toml'], /is no evidence file/],
    [['conformance', 'codex', '--only', 'R6', 'R99'], /^No case shows R99\. These can be: R1, /],
    [['conformance', 'codex', '--html', 'evidence.jsonl'], /EEXIST.*Name a new file/],
  ])('R8 what was mistyped is told in a line or two: %j', async (args, words) => {
    const { exitCode, stdout, stderr } = await told(use(...args));
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('R8 no agent here: doctor says which command brings it, and so does compact', async () => {
    const bare = (...args: string[]) =>
      told(
        startIn(lab, 'native-compaction', args, {
          folder: folder(),
          env: { PATH: `${folder()}:${process.execPath.replace(/\/node$/, '')}` },
        }),
      );
    const doctor = await bare('doctor');
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout.match(/not usable\n[\s\S]*?to fix it +npm install --global @\S+@\d/g)).toHaveLength(3);
    const compact = await bare('compact', name, '--resume', id);
    expect([compact.exitCode, compact.stderr]).toEqual([
      2,
      expect.stringMatching(/To install it: npm install --global @openai\/codex@\d/),
    ]);
  });

  test('R8 no session: told as that, with what to do, and no error', async () => {
    const { exitCode, stdout, stderr } = await told(startIn(lab, 'native-compaction', ['sessions', 'pi'], { folder: folder() }));
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toBe('No session of Pi yet. Hold one with "pi", then look again.');
    const elsewhere = await told(use('sessions', name, '--cwd', '.'));
    expect(elsewhere.stderr).toBe(`No session of Codex in ${lab.home}. Leave --cwd out to see those of every folder.`);
  });

  test('E3 an agent that is too old: its version, the oldest that was tested, and the command that installs a newer one', async () => {
    await execa(
      'npm',
      ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '@openai/codex@0.20.0'],
      {
        cwd: packed.folder,
      },
    );
    const { exitCode, stderr } = await told(use('compact', name, '--resume', id, '--executable', join(folder(), 'codex')));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /Codex 0\.20\.0: it is older than 0\.166\.0, the oldest that was tested\. To install the newest that was tested: npm install/,
    );
    const doctor = await told(
      startIn(lab, 'native-compaction', ['doctor'], {
        folder: folder(),
        env: { PATH: [folder(), dirname(process.execPath), process.env.PATH].join(':') },
      }),
    );
    expect(doctor.stdout).toMatch(/Codex 0\.20\.0: not tested\n[\s\S]*missing +it is older than/);
    rmSync(join(folder(), 'codex'));
  }, 120_000);

  test('E4 a disk that is full: the result stands, and what could not be written is said', async () => {
    const full = (line: string) =>
      told(
        startIn(
          lab,
          'unshare',
          ['--map-root-user', '--mount', '/bin/bash', '-c', `mkdir -p full && mount -t tmpfs -o size=4k tmpfs full && ${line}`],
          { folder: folder() },
        ),
      );
    const compacted = await full(`native-compaction compact ${name} --resume ${id} --evidence full/evidence.jsonl`);
    expect(compacted.stdout).toMatch(/^completed\n/);
    expect(compacted.stderr).toMatch(
      /The evidence file is not whole \(ENOSPC\): make room, and write it anew\. The result stands\./,
    );
    expect(compacted.exitCode).toBe(0);
    const page = await full('native-compaction report evidence.jsonl --html full/page.html; code=$?; ls full; exit $code');
    expect([page.exitCode, page.stdout]).toEqual([2, '']);
    expect(page.stderr).toBe('Cannot write the page full/page.html (ENOSPC). Make room, or name a file elsewhere.');
    const output = await told(shell('native-compaction report evidence.jsonl > /dev/full'));
    expect([output.exitCode, output.stderr]).toEqual([
      1,
      'The output could not be written (ENOSPC). Make room, or write it elsewhere.',
    ]);
    const lost = await told(shell(`native-compaction compact ${name} --resume ${id} --json > /dev/full`));
    expect([lost.exitCode, lost.stderr]).toEqual([
      1,
      expect.stringMatching(
        /\nThe output could not be written \(ENOSPC\)\.[^\n]*\nWhat was lost is the result: it was completed\.$/,
      ),
    ]);
    expect(runningIn(lab)).toEqual([]);
  });

  test('R4 a pipe that is closed early is no error, and no reason to leave a compaction alone', async () => {
    for (const line of [`sessions ${name}`, 'report evidence.jsonl', 'doctor --json']) {
      const { exitCode, stdout, stderr } = await told(shell(`set -o pipefail; native-compaction ${line} | head -1`));
      expect([exitCode, stderr], line).toEqual([0, '']);
      expect(stdout.split('\n')).toHaveLength(1);
    }
    const before = lab.server.requests.filter(({ isCompaction }) => isCompaction).length;
    const { exitCode } = await told(
      shell(`set -o pipefail; native-compaction compact ${name} --resume ${id} --evidence closed.jsonl 2>&1 | head -1`),
    );
    expect(exitCode).toBe(0);
    expect(lab.server.requests.filter(({ isCompaction }) => isCompaction)).toHaveLength(before + 1);
    expect((await told(use('report', 'closed.jsonl'))).stdout).toMatch(/^completed\n/);
    expect(runningIn(lab)).toEqual([]);
  });

  const compactLine = () => `native-compaction compact ${name} --resume ${id}`;

  test('R8 a terminal: one live line with colours; with NO_COLOR none; without a terminal plain lines', async () => {
    const live = await onTerminal(compactLine(), 100, {}, /Codex: compacting · \d/);
    expect(live).toContain(`${ESCAPE}[36m`);
    expect(live).toMatch(/Codex: compacting · \d/);
    expect(live).toMatch(/completed\r\n/);
    expect(await onTerminal(compactLine(), 100, { NO_COLOR: '1' })).not.toMatch(new RegExp(`${ESCAPE}\\[\\d*(?:;\\d+)*m`));
    const dumb = await onTerminal(compactLine(), 100, { TERM: 'dumb' });
    expect(dumb).not.toContain(ESCAPE);
    const plain = await told(shell(`${compactLine()} 2>&1`));
    expect(plain.stdout).not.toContain(ESCAPE);
    expect(plain.stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^Codex: opening/),
      expect.stringMatching(/^Codex: asking/),
    ]);
  });

  test('R8 a narrow terminal: what moves, tables and rows are cut to it; ids and commands that are to be copied are whole', async () => {
    const visible = (text: string) =>
      text.replace(new RegExp(`${ESCAPE}\\[[\\d;?]*m`, 'g'), '').split(new RegExp(`[\\r\\n]+|${ESCAPE}\\[[\\d;?]*[A-Za-ln-z]`));
    const moving = visible(await onTerminal(compactLine(), 32, {}, /compacting · \d s/)).filter((line) =>
      line.includes('Codex: '),
    );
    expect(moving.length).toBeGreaterThan(2);
    const rows = visible(await onTerminal('native-compaction report evidence.jsonl', 32)).filter((line) =>
      / s {2}(?:host|library|native)/.test(line),
    );
    expect(rows.length).toBeGreaterThan(10);
    const sessions = visible(await onTerminal(`native-compaction sessions ${name}`, 32));
    expect(sessions).toContain(id);
    // So that the "^C" that a terminal writes behind it breaks no line, which could not be cleared then.
    for (const line of moving) expect([...line, '^C'].length, line).toBeLessThan(32);
    for (const line of [...rows, ...sessions.filter((one) => one !== id)]) expect([...line].length, line).toBeLessThanOrEqual(32);
    expect((await onTerminal('native-compaction doctor', 32)).replace(/[\r\n]/g, '')).toMatch(
      /npm install --global @anthropic-ai\/claude-code@\d+\.\d+\.\d+/,
    );
  });

  test('E4 nothing is written through a link or over a file', async () => {
    writeFileSync(file('target'), 'mine');
    symlinkSync(file('target'), file('link'));
    for (const args of [
      ['compact', name, '--resume', id, '--evidence', 'link'],
      ['report', 'evidence.jsonl', '--html', 'link'],
      ['conformance', name, '--html', 'target'],
    ]) {
      const { exitCode, stderr } = await told(use(...args));
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringMatching(/^Cannot create .*Name a new file in a folder that exists\.$/),
      ]);
    }
    expect(readFileSync(file('target'), 'utf8')).toBe('mine');
  });

  test('R8 an older Node is told in one line', async () => {
    const pretend = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})';
    const { exitCode, stderr } = await told(startIn(lab, process.execPath, ['--import', pretend, packed.command, 'doctor']));
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^native-compaction needs Node 22\.19 or newer, and this is 20\.1\.0 \(.*\)\.$/),
    ]);
  });
});
