import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lab } from '@native-compaction/conformance';
import { execa } from 'execa';
import { afterEach, describe, expect, test } from 'vitest';
import { MODEL, openClaudeBench } from '../support/claude.ts';
import { openCodexBench } from '../support/codex.ts';
import { startCommand } from '../support/command-line.ts';
import { openPiBench } from '../support/pi.ts';
import { definedOnly } from '../support/sessions.ts';
import { claudeExecutable, codexExecutable, piModule, versionsOf } from '../support/vendors.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
const claudeExamples: Record<string, RegExp[]> = {
  '01-compact-once.ts': [/^compacted, proven by frames \d/m],
  '02-restore-with-changed-prompt.ts': [/in effect at-next-compaction/, /the next request carries the new prompt/],
  '03-abort-and-timeout.ts': [
    /^unconfirmed: Claude goes on/m,
    /later it completed, too late for the caller/,
    /^aborted by the caller/m,
  ],
  '04-follow-records.ts': [/^> Hello\./m, /^< REPLY-1/m, /^compaction tidy completed/m, /checkpoint taken/],
};
const crashExamples: Record<string, RegExp[]> = {
  '07-survive-a-crash.ts': [
    /^the vendor died: unconfirmed/m,
    /^what became of it: unchanged, by process_gone/m,
    /^the new log follows record \d+; between: not_in_log/m,
  ],
  '08-restore-session.ts': [/^compaction: completed/m, /^append: in-effect/m],
  '09-send-again.ts': [
    /^nothing to resume: opened anew/m,
    /^"Count the files." ended unconfirmed\n"Name the newest." ended undelivered/m,
    /^"Name the newest." sent again: completed/m,
  ],
  '11-evidence-file.ts': [/^completed: native-compaction report evidence-\d+\.jsonl$/m],
  '10-trace-records.ts': [/^span tidy: completed in \d+ ms, compaction_requested compaction_dispatched compaction_started/m],
};
const codexExamples: Record<string, RegExp[]> = {
  '05-codex-restore.ts': [/base instructions: at-resume, developer instructions: at-next-compaction/, /the new developer/],
};
const piExamples: Record<string, RegExp[]> = {
  '06-attach-pi.ts': [
    /^a manual compaction started/m,
    /^completed, context compacted/m,
    /^the other one: busy_compaction/m,
    /^a foreign compaction started\nthe session is still yours/m,
  ],
};

let lab: Lab;
afterEach(() => lab.close());

describe.each(versionsOf('claude'))('R8 examples on Claude Code %s', (version) => {
  test.each([claudeExamples, crashExamples].flatMap(Object.entries<RegExp[]>))(
    '%s says what it promises',
    async (file, expected) => {
      lab = await openClaudeBench(version);
      await says(file, expected, { CLAUDE_EXECUTABLE: claudeExecutable(version), CLAUDE_MODEL: MODEL });
    },
  );
});

describe.each(versionsOf('claude'))('R8 what an example wrote, on Claude Code %s', (version) => {
  test('is shown by the command with its records, its result and all of its proof', async () => {
    lab = await openClaudeBench(version);
    const env = { CLAUDE_EXECUTABLE: claudeExecutable(version), CLAUDE_MODEL: MODEL };
    await says('11-evidence-file.ts', [/^completed/], env);
    const [file = ''] = readdirSync(lab.project).filter((name) => name.startsWith('evidence-'));
    const { stdout } = await startCommand(lab, ['report', join(lab.project, file)]);
    expect(String(stdout)).toMatch(/^completed\n/);
    const rows = String(stdout).split('\n');
    const at = (what: RegExp) => rows.findIndex((row) => what.test(row));
    expect(at(/^\*.* library → user: \/compact .*dispatched/)).toBe(at(/· compaction dispatched/) + 1);
    expect(at(/^\*.*native {2}← result success/)).toBeLessThan(at(/· compaction ended manual completed/));
    expect(at(/· log opened/)).toBeGreaterThan(0);
  });
});

describe.each(versionsOf('codex'))('R8 examples on Codex %s', (version) => {
  test.each(Object.entries(codexExamples))('%s says what it promises', async (file, expected) => {
    lab = await openCodexBench(version);
    await says(file, expected, { CODEX_EXECUTABLE: codexExecutable(version) });
  });

  test('every example is run', async () => {
    lab = await openCodexBench(version);
    expect(readdirSync(folder).filter((name) => name.endsWith('.ts'))).toEqual(
      [claudeExamples, codexExamples, piExamples, crashExamples].flatMap(Object.keys).sort(),
    );
  });
});

describe.each(versionsOf('pi'))('R8 examples on Pi %s', (version) => {
  test.each(Object.entries(piExamples))('%s says what it promises', async (file, expected) => {
    lab = await openPiBench({ version, surface: 'rpc' });
    await says(file, expected, { PI_MODULE: piModule(version) });
  });
});

/** An example runs as a program of its own, with the loopback model in this process. */
async function says(file: string, expected: readonly RegExp[], extra: Record<string, string>) {
  const env = { ...definedOnly(lab.env), PATH: process.env.PATH ?? '', ...extra };
  const flags = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning'];
  const options = { env, extendEnv: false, cwd: lab.project, reject: false, timeout: 45_000 };
  const { stdout, stderr, exitCode } = await execa(process.execPath, [...flags, `${folder}${file}`], options);
  expect(exitCode, String(stderr)).toBe(0);
  for (const pattern of expected) expect(stdout).toMatch(pattern);
  expect(readFileSync(`${folder}${file}`, 'utf8').split('\n').length).toBeLessThanOrEqual(61);
}
