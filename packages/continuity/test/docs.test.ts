import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const blocks = ['continuity.md', 'transcripts.md'].flatMap((page) =>
  [...readFileSync(`${root}docs/${page}`, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? ''),
);
const run = (code: string) =>
  execFileSync(
    process.execPath,
    [
      '--conditions=@native-compaction/source',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module-typescript',
      '-e',
      code,
    ],
    { cwd: root, encoding: 'utf8' },
  );

describe('the examples of the page', () => {
  test('the ledger', () => {
    const output = run(blocks[0] ?? '').split('\n');
    expect(output).toContain('request {"id":"r1","kind":"skill","state":"done","text":"Follow the deploy skill and push."}');
    expect(output).toContain('in-flight {"id":"r2","kind":"prompt","text":"Which flag enables the new parser?"}');
    expect(output.slice(-3)).toEqual(["[ 'r2' ] []", '2', '']);
  });

  test('the session is run against the real CLI', () => {
    expect(blocks[1]).toContain('createClaudeRuntime');
    expect(readFileSync(`${root}test/live/claude/continuity.test.ts`, 'utf8')).toContain('docs/continuity.md');
  });

  test('the transcript', () => {
    expect(run(blocks[2] ?? '').split('\n')).toEqual([
      "41 5 { ok: true, objective: [ 'build the parser' ] }",
      "{ ok: false, error: { code: 'prefix_mutated' } }",
      '',
    ]);
    expect(blocks).toHaveLength(3);
  });
});
