import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, MODEL, openClaudeBench } from '../../support/claude.ts';
import { examples as folder, runExample } from '../../support/run-example.ts';
import { definedOnly } from '../../support/sessions.ts';
import { claudeExecutable, versionsOf } from '../../support/vendors.ts';

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

  test.each(readdirSync(folder).filter((file) => !file.includes('pi')))('%s says what it promises', async (file) => {
    bench = await openClaudeBench(version);
    const env = {
      ...definedOnly(bench.env),
      PATH: process.env.PATH ?? '',
      CLAUDE_EXECUTABLE: claudeExecutable(version),
      CLAUDE_MODEL: MODEL,
    };
    const { stdout, stderr, status } = await runExample(file, env, bench.project);
    expect(status, stderr).toBe(0);
    for (const pattern of expected[file] ?? [/^never$/]) expect(stdout).toMatch(pattern);
    expect(readFileSync(`${folder}${file}`, 'utf8').split('\n').length).toBeLessThanOrEqual(61);
  });
});
