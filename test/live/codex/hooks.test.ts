import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

/** Trusts every hook of the user, as a person does when asked: an untrusted one does not run. */
async function trust(bench: CodexBench) {
  const { session, request } = await bench.openWired();
  const { result } = await request('hooks/list', { cwds: [bench.project] });
  const [{ hooks }] = (result as { data: [{ hooks: { key: string; currentHash: string }[] }] }).data;
  const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash, enabled: true }]));
  await request('config/batchWrite', { edits: [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }] });
  expect(hooks).toHaveLength(1);
  await session.dispose();
}

describe.each(versionsOf('codex'))('C4 hooks of the user around a compaction on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  /** A session whose user has one hook, which answers with this. */
  async function open(event: 'PreCompact' | 'PostCompact', answer: string, exitCode = 0) {
    bench = await openCodexBench(version);
    const command = bench.write(
      '~/codex/hook.sh',
      `#!/bin/sh\ncat > "$(dirname "$0")/input.json"\necho '${answer}'\nexit ${exitCode}\n`,
    );
    bench.write('~/codex/hooks.json', { hooks: { [event]: [{ hooks: [{ type: 'command', command: `sh ${command}` }] }] } });
    await trust(bench);
    const session = await bench.open();
    await say(session, 'hello');
    return session;
  }
  const compactions = () => bench.server.requests.filter((request) => request.isCompaction).length;

  test('one that stops before it: aborted by the native side, unchanged, and no request', async () => {
    const session = await open('PreCompact', '{"continue":false}');
    expect(await session.compact()).toMatchObject({ status: 'aborted', by: 'native', context: 'unchanged' });
    expect(compactions()).toBe(0);
    await say(session, 'go on');
  });

  test('one that stops behind it: aborted by the native side, and compacted', async () => {
    const session = await open('PostCompact', '{"continue":false}');
    expect(await session.compact()).toMatchObject({ status: 'aborted', by: 'native', context: 'compacted' });
    expect(compactions()).toBe(1);
    await say(session, 'go on');
  });

  test.each([
    ['lets it through', '{}', 0],
    ['fails', '', 2],
    ['says block', '{"decision":"block"}', 0],
  ])('one that %s: completed', async (_how, answer, exitCode) => {
    const session = await open('PreCompact', answer, exitCode);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(compactions()).toBe(1);
    expect(readFileSync(join(bench.home, 'codex/input.json'), 'utf8')).toContain('"trigger":"manual"');
  });
});
