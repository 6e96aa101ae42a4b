import { readFileSync } from 'node:fs';
import { conformanceCases, requirements } from '@native-compaction/conformance';
import { failureHints, rejectReasons, unconfirmedReasons } from '@native-compaction/core';
import { expect, test, vi } from 'vitest';
import { exitCodes, runCli } from '../src/program.ts';
import { runtimeNames, runtimes } from '../src/runtimes.ts';

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

test("the README's table says of each agent what the suite makes of it, and every page how many cases there are", () => {
  const readme = readFileSync('README.md', 'utf8');
  const cells = readme
    .split('\n')
    .find((line) => line.startsWith("| the suite's"))
    ?.split(' | ');
  const told = runtimeNames.map((name) => {
    const { subject: create, capability, executable } = runtimes[name];
    const subject = create(`/bin/${executable}`, capability.testedVersions.at(-1) ?? '');
    const limited = new Set([
      ...requirements.filter(({ limits }) => limits?.[subject.runtime]).map(({ id }) => id),
      ...Object.keys(subject.limits ?? {}),
    ]);
    const exempt = conformanceCases.filter((one) => one.exempts?.(subject) !== undefined);
    const limits = conformanceCases.filter((one) => !exempt.includes(one) && one.requirements.some((id) => limited.has(id)));
    const passed = conformanceCases.length - exempt.length - limits.length;
    const rest = [
      ...(limits.length > 0 ? [`${limits.length} known limit${limits.length > 1 ? 's' : ''}`] : []),
      ...(exempt.length > 0 ? [`${exempt.length} that ${exempt.length > 1 ? 'do' : 'does'} not apply`] : []),
    ];
    return `${passed} passed, ${rest.join(', ')}`;
  });
  expect(cells?.slice(1, 4)).toEqual(told);
  for (const page of ['README.md', 'docs/cli.md', 'docs/adding-a-backend.md'])
    for (const [, count] of readFileSync(page, 'utf8').matchAll(/\b(\d+) cases\b/g))
      expect(Number(count), page).toBe(conformanceCases.length);
});
