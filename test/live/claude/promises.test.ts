import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { PermissionRequest } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, recordsSoFar, say } from '../../support/claude.ts';
import { startHost } from '../../support/start-host.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('claude'))('Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

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
});

/** A zombie is not alive: it waits only to be collected. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
