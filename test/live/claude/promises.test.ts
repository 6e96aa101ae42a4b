import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import type { PermissionRequest, SessionRecord } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, record, recordsSoFar, say } from '../../support/claude.ts';
import { startHost } from '../../support/start-host.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('claude'))('Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  test('P1 a restored session gets the new system and append prompt with the next request after the compaction, not before', async () => {
    bench = await openClaudeBench(version);
    const first = await bench.open({ prompt: { system: 'OLD-SYSTEM', append: 'OLD-APPEND' } });
    await say(first, 'hello');
    await first.dispose();
    const restored = await bench.open({ resume: first.nativeId, prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' } });
    expect(restored.promptChange).toEqual({ system: 'at-next-compaction', append: 'at-next-compaction' });
    const markers = (text: string) =>
      ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'].filter((marker) => text.includes(marker));
    await say(restored, 'before');
    expect(markers(bench.server.requests.at(-1)?.system ?? '')).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
    expect((await restored.compact()).status).toBe('completed');
    expect(markers(bench.server.requests.at(-1)?.system ?? '')).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
    await say(restored, 'after');
    expect(markers(bench.server.requests.at(-1)?.system ?? '')).toEqual(['NEW-SYSTEM', 'NEW-APPEND']);
  });

  test('T9 a reader that awaits compact() inside its own required loop finishes', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    const statuses: string[] = [];
    session.send('hello');
    for await (const item of session.records(undefined, { required: true })) {
      if (item.type !== 'idle' || statuses.length > 0) continue;
      if (item.seq < 5) continue;
      statuses.push((await session.compact()).status);
      break;
    }
    expect(statuses).toEqual(['completed']);
  });

  test('S2 S3 inputs before, during and after a compaction: in order, each its own turn, none into the compaction', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'one');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request) => {
      if (request.isCompaction) await release.promise;
      return { text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' };
    });
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = session.compact();
    const [two, three, four] = ['two', 'three', 'four'].map((text) => session.send(text));
    await asked;
    expect(three?.withdraw()).toBe(true);
    release.resolve();
    expect((await pending).status).toBe('completed');
    expect([await two?.ended, await three?.ended, await four?.ended]).toEqual(['completed', 'undelivered', 'completed']);
    expect(two?.withdraw()).toBe(false);
    const prompts = bench.server.requests
      .filter((request) => !request.isCompaction)
      .map((request) => request.messages.at(-1)?.text.split('\n').at(-1));
    expect(prompts).toEqual(['one', 'two', 'four']);
    const turns = (await recordsSoFar(session)).filter((item) => item.type === 'turn_ended' && item.kind === 'prompt');
    expect(turns.map((item) => item.type === 'turn_ended' && item.inputIds)).toHaveLength(3);
  });

  test('G1 a running turn refuses a compaction, which writes nothing; right after `ended` it is admitted', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request) => {
      await release.promise;
      return { text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' };
    });
    const asked = bench.server.next();
    const running = session.send('slow');
    const queued = session.send('queued');
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    await asked;
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    expect(queued.withdraw()).toBe(true);
    release.resolve();
    expect(await running.ended).toBe('completed');
    expect((await session.compact()).status).toBe('completed');
    expect((await recordsSoFar(session)).filter((item) => item.type === 'compaction_requested')).toHaveLength(1);
  });

  test('G2 a project command named compact is refused before anything is written', async () => {
    bench = await openClaudeBench(version);
    bench.write('.claude/commands/compact.md', 'Say hello.');
    const session = await bench.open();
    await say(session, 'hello');
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'not_builtin', context: 'unchanged' });
    expect(bench.server.requests).toHaveLength(1);
  });

  test('T8 a permission is asked of the host; allow runs the tool, deny, a throw and no callback do not', async () => {
    bench = await openClaudeBench(version);
    const target = `${bench.project}/made-by-tool`;
    const script = (name: string) => (request: { messages: readonly { text: string }[] }) =>
      request.messages.at(-1)?.text.includes('use the tool')
        ? { tool: 'Bash', input: { command: `touch ${target}-${name}`, description: 'x' } }
        : { text: 'done' };
    const asked: PermissionRequest[] = [];
    const callbacks = {
      allow: (request: PermissionRequest) => {
        asked.push(request);
        return 'allow' as const;
      },
      deny: () => ({ deny: 'not today' }),
      throw: () => {
        throw new Error('host bug');
      },
      none: undefined,
    };
    for (const [name, permissions] of Object.entries(callbacks)) {
      bench.server.script(script(name));
      const session = await bench.open({ ...(permissions ? { permissions } : {}) });
      await say(session, 'use the tool');
      const answer = await record(session, 'permission_answered');
      expect(answer).toMatchObject({ decision: name === 'allow' ? 'allow' : 'deny' });
      await session.dispose();
    }
    expect(readdirSync(bench.project).filter((file) => file.startsWith('made-by-tool'))).toEqual(['made-by-tool-allow']);
    expect(asked).toMatchObject([{ tool: 'Bash', input: { command: `touch ${target}-allow` } }]);
  });

  test('T8 abort fires the signal of an open question, and the turn ends aborted', async () => {
    bench = await openClaudeBench(version);
    bench.server.script(() => ({ tool: 'Bash', input: { command: 'touch x', description: 'x' } }));
    const question = Promise.withResolvers<PermissionRequest>();
    const session = await bench.open({
      permissions: (request) => {
        question.resolve(request);
        return new Promise(() => undefined);
      },
    });
    const input = session.send('use the tool');
    const { signal } = await question.promise;
    const fired = once(signal, 'abort');
    await session.abort();
    await fired;
    expect(await input.ended).toBe('aborted');
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'aborted' });
  });

  test('R9 planted keys do not leave: results, records, captures and errors', async () => {
    const key = `sk-ant-api03-${'Zq9'.repeat(12)}`;
    const capture: unknown[] = [];
    bench = await openClaudeBench(version, undefined, { CLAUDE_CODE_MAX_RETRIES: '1', MY_GATEWAY_TOKEN: 'gateway-token-value' });
    bench.write('~/claude/settings.json', {
      hooks: {
        PreCompact: [
          {
            hooks: [
              {
                type: 'command',
                command: `if [ -e ${bench.home}/block ]; then echo "no ${key} gateway-token-value" >&2; exit 2; fi`,
              },
            ],
          },
        ],
      },
    });
    const { port } = new URL(bench.server.url);
    const session = await bench.open(
      { cwd: bench.project },
      { env: { ANTHROPIC_BASE_URL: `http://jane:hunter2secret@127.0.0.1:${port}` }, tap: (line) => void capture.push(line) },
    );
    await say(session, `my key is ${key}`);
    bench.server.script((request) =>
      request.isCompaction ? { status: 400, message: `bad key ${key} and gateway-token-value` } : { text: key },
    );
    const refused = await session.compact();
    bench.write('~/block', '');
    const blocked = await session.compact();
    expect([refused.status, blocked.status]).toEqual(['failed', 'failed']);
    await say(session, 'say it back');
    bench.server.script(() => ({ text: `<summary>the key is ${key}</summary>` }));
    const everything = JSON.stringify([refused, blocked, capture, await recordsSoFar(session), session.checkpoint()]);
    for (const secret of [key, 'gateway-token-value', 'hunter2secret', 'dummy-key-for-loopback'])
      expect(everything).not.toContain(secret);
    const errors = JSON.stringify([refused, blocked]);
    for (const place of [bench.home, '127.0.0.1', port]) expect(errors).not.toContain(place);
    expect(session.frame(refused.evidence.at(-1)?.frame ?? 0)?.native).toBeDefined();
  });

  test('E1 no process is left when the host is killed with SIGKILL while the provider hangs', async () => {
    bench = await openClaudeBench(version, () => ({ hang: true }));
    const asked = bench.server.next();
    const host = startHost(bench);
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    await asked;
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 10_000, interval: 50 }).toBe(false);
  });

  test('R1 every record is one the schema knows, and replaying a prefix and the rest equals the whole', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    await session.compact();
    await session.dispose();
    const { reduceView, initialView, sessionRecordSchema } = await import('@native-compaction/core');
    const all = await recordsSoFar(session);
    for (const item of all) sessionRecordSchema.parse(item);
    const fold = (view: typeof initialView, items: SessionRecord[]) => items.reduce(reduceView, view);
    const whole = fold(initialView, all);
    for (let cut = 0; cut <= all.length; cut += 1) {
      const kept = JSON.parse(JSON.stringify(fold(initialView, all.slice(0, cut)))) as typeof initialView;
      expect(fold(kept, all.slice(cut))).toEqual(whole);
    }
    expect(session.checkpoint().view).toEqual(whole);
  });
});

/** A zombie is not alive: it waits only to be collected. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
