import { readFileSync } from 'node:fs';
import { failureHints, rejectReasons, unconfirmedReasons } from '@native-compaction/core';
import { expect, test, vi } from 'vitest';
import { exitCodes, runCli } from '../src/program.ts';

const docs = readFileSync('docs/cli.md', 'utf8');

async function help(...args: string[]): Promise<string> {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    expect(await runCli([...args, '--help'])).toBe(exitCodes.completed);
  } finally {
    write.mockRestore();
  }
  return text;
}

test('every command and option that the command has is in its documentation', async () => {
  const commands = [...(await help()).matchAll(/^ {2}([a-z]+) .*\S/gm)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== 'help');
  expect(commands).toEqual(['doctor', 'sessions', 'compact', 'conformance', 'report']);
  for (const command of commands) {
    const options = [...(await help(command)).matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1] ?? '');
    for (const word of [`## ${command}`, ...options]) expect(docs, `${command}: ${word}`).toContain(word);
  }
});

test('every exit code is in its documentation', () => {
  for (const code of Object.values(exitCodes)) expect(docs).toContain(`| ${code} |`);
});

test('what to do next after each status, reason and hint is in the documentation', () => {
  const results = readFileSync('docs/results.md', 'utf8');
  for (const status of ['completed', 'rejected', 'failed', 'aborted', 'unconfirmed'])
    expect(results).toContain(`\n## ${status}\n`);
  const rows = results.split('\n').filter((line) => line.startsWith('| `'));
  for (const reason of [...rejectReasons, ...failureHints, ...unconfirmedReasons]) {
    const row = rows.find((line) => line.split(' | ')[0]?.includes(`\`${reason}\``));
    expect(
      row?.split(' | ').filter((cell) => cell.trim() !== ''),
      reason,
    ).toHaveLength(4);
  }
});
