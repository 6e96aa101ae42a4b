import { readFileSync } from 'node:fs';
import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, openWired, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const blocked = { status: 'failed', reason: 'native_failed', hint: 'blocked_by_hook', context: 'unchanged' };

describe.each(versionsOf('claude'))('R8 hooks around a compaction on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());
  const open = async (hooks: object) => {
    bench = await openClaudeBench(version);
    bench.write('~/claude/settings.json', { hooks });
    const session = await bench.open();
    await say(session, 'hello');
    return session;
  };

  test.each([
    ['exit code 2', 'echo no >&2; exit 2'],
    ['a decision to block', `echo '{"decision":"block","reason":"no"}'`],
  ])('PreCompact with %s blocks it', async (_what, command) => {
    const session = await open({ PreCompact: hook(command) });
    expect(await session.compact()).toMatchObject(blocked);
    expect(bench.server.requests.some((request) => request.isCompaction)).toBe(false);
  });

  test('PreCompact with continue:false is ignored by Claude', async () => {
    const session = await open({ PreCompact: hook(`echo '{"continue":false}'`) });
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test('PreCompact may add instructions, PostCompact cannot block, SessionStart runs again', async () => {
    bench = await openClaudeBench(version);
    const log = `${bench.home}/hooks.log`;
    bench.write('~/claude/settings.json', {
      hooks: {
        PreCompact: hook('echo ADDED-BY-THE-HOOK'),
        PostCompact: hook('exit 2'),
        SessionStart: hook(`cat >> ${log}; echo >> ${log}`),
      },
    });
    const session = await bench.open();
    await say(session, 'hello');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(bench.server.requests.find((request) => request.isCompaction)?.messages.at(-1)?.text).toContain('ADDED-BY-THE-HOOK');
    const sources = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { source: string }).source);
    expect(sources).toEqual(['startup', 'compact']);
  });

  test('a client callback that blocks is failed too', async () => {
    bench = await openClaudeBench(version);
    const wired = await openWired(bench, {
      watch(dir, frame, write) {
        if (dir !== 'in' || (frame.request as JsonObject | undefined)?.subtype !== 'hook_callback') return;
        const response = { subtype: 'success', request_id: frame.request_id, response: { decision: 'block', reason: 'no' } };
        write({ type: 'control_response', response });
      },
    });
    await say(wired.session, 'hello');
    const hooks = { PreCompact: [{ hookCallbackIds: ['callback-1'] }] };
    wired.write({ type: 'control_request', request_id: 'hooks-1', request: { subtype: 'initialize', hooks } });
    expect(await wired.session.compact()).toMatchObject(blocked);
  });

  test('aborted while PreCompact sleeps: failed at once, and the next input is unharmed', async () => {
    bench = await openClaudeBench(version);
    const mark = `${bench.home}/sleeping`;
    bench.write('~/claude/settings.json', { hooks: { PreCompact: hook(`touch ${mark}; sleep 30`) } });
    const session = await bench.open();
    await say(session, 'hello');
    const pending = session.compact();
    await expect.poll(() => readable(mark), { timeout: 10_000, interval: 20 }).toBe(true);
    await session.abort();
    expect(await pending).toMatchObject({ status: 'failed', context: 'unchanged' });
    await say(session, 'go on');
  });
});

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
