import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, MODEL, openClaudeBench } from '../../support/claude.ts';
import { claudeExecutable, versionsOf } from '../../support/vendors.ts';

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
const expected: Record<string, RegExp[]> = {
  '01-compact-once.ts': [/^compacted, proven by frames \d/m],
  '02-restore-with-changed-prompt.ts': [/in effect at-next-compaction/, /the next request carries the new prompt/],
  '03-abort-and-timeout.ts': [
    /^unconfirmed: Claude goes on/m,
    /later it completed, too late for the caller/,
    /^aborted by the caller/m,
  ],
  '04-follow-records.ts': [/^> Hello\./m, /^< REPLY-1/m, /^compaction tidy completed/m, /checkpoint taken/],
};

describe.each(versionsOf('claude'))('examples on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  test.each(readdirSync(folder))('%s says what it promises', async (file) => {
    bench = await openClaudeBench(version);
    const env = {
      ...defined(bench.env),
      PATH: process.env.PATH ?? '',
      CLAUDE_EXECUTABLE: claudeExecutable(version),
      CLAUDE_MODEL: MODEL,
    };
    const { stdout, stderr, status } = await run([`${folder}${file}`], env, bench.project);
    expect(status, stderr).toBe(0);
    for (const pattern of expected[file] ?? [/^never$/]) expect(stdout).toMatch(pattern);
    expect(readFileSync(`${folder}${file}`, 'utf8').split('\n').length).toBeLessThanOrEqual(61);
  });
});

/** The examples run as a program of their own, with the loopback model in this process. */
async function run(args: string[], env: Record<string, string>, cwd: string) {
  const { execa } = await import('execa');
  const result = await execa(
    process.execPath,
    ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning', ...args],
    {
      env,
      extendEnv: false,
      cwd,
      reject: false,
      timeout: 45_000,
    },
  );
  return { stdout: result.stdout, stderr: result.stderr, status: result.exitCode };
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
