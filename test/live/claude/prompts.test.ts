import { once } from 'node:events';
import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import type { PromptOptions, Session } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, recordsSoFar, say } from '../../support/claude.ts';
import { startHost } from '../../support/start-host.ts';
import { versionsOf } from '../../support/vendors.ts';

const old = { system: 'OLD-SYSTEM', append: 'OLD-APPEND' };
const all = ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'];
const summarize = (request: { isCompaction: boolean }) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' });

describe.each(versionsOf('claude'))('prompts on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  const begin = async () => {
    bench = await openClaudeBench(version, summarize);
    const first = await bench.open({ prompt: old });
    await say(first, 'hello');
    await say(first, 'and more');
    await first.dispose();
    return first.nativeId;
  };
  /** Which of the four texts the next provider request carries. */
  const carried = async (session: Session) => {
    await say(session, 'next');
    const system = bench.server.requests.at(-1)?.system ?? '';
    return all.filter((marker) => system.includes(marker));
  };

  const rows: [string, PromptOptions, string[]][] = [
    ['system only', { system: 'NEW-SYSTEM', append: 'OLD-APPEND' }, ['OLD-APPEND', 'NEW-SYSTEM']],
    ['append only', { system: 'OLD-SYSTEM', append: 'NEW-APPEND' }, ['OLD-SYSTEM', 'NEW-APPEND']],
    ['both', { system: 'NEW-SYSTEM', append: 'NEW-APPEND' }, ['NEW-SYSTEM', 'NEW-APPEND']],
    ['append dropped', { system: 'NEW-SYSTEM' }, ['NEW-SYSTEM']],
  ];
  test.each(rows)(
    'P1 %s changes with the next request after a completed compaction, and not before',
    async (_what, prompt, wanted) => {
      const resume = await begin();
      const session = await bench.open({ resume, prompt });
      expect(await carried(session)).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
      expect((await session.compact()).status).toBe('completed');
      expect(await carried(session)).toEqual(wanted);
    },
  );

  test('P1 a failed and a cancelled compaction keep the old text; the next completed one switches', async () => {
    const resume = await begin();
    const session = await bench.open({ resume, prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' } });
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
    expect((await session.compact()).status).toBe('failed');
    expect(await carried(session)).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
    bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = session.compact();
    await asked;
    await session.abort();
    expect((await pending).status).toBe('failed');
    expect(await carried(session)).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
    bench.server.script(summarize);
    expect((await session.compact()).status).toBe('completed');
    expect(await carried(session)).toEqual(['NEW-SYSTEM', 'NEW-APPEND']);
  });

  test('P1 a fork behaves the same, under a session id of its own', async () => {
    const resume = await begin();
    const session = await bench.open(
      { resume, prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' } },
      { args: ['--fork-session'] },
    );
    expect(await carried(session)).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
    expect(session.nativeId).not.toBe(resume);
    expect((await session.compact()).status).toBe('completed');
    expect(await carried(session)).toEqual(['NEW-SYSTEM', 'NEW-APPEND']);
  });

  test('P1 where passthrough arguments touch the prompt, the session says unknown; with the snapshot off the new text is there at once', async () => {
    const resume = await begin();
    const session = await bench.open(
      { resume, prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' } },
      { args: ['--system-prompt-snapshot=off'] },
    );
    expect(session.promptChange).toEqual({ system: 'unknown', append: 'unknown' });
    expect(await carried(session)).toEqual(['NEW-SYSTEM', 'NEW-APPEND']);
    await session.dispose();
    const other = await bench.open({}, { args: ['--append-system-prompt=X'] });
    expect(other.promptChange).toEqual({ system: 'unknown', append: 'unknown' });
  });

  test('E4 prompts and inputs are text, whatever they look like and however long they are', async () => {
    bench = await openClaudeBench(version, summarize);
    const file = bench.write('secret.txt', 'CONTENT-OF-THE-FILE');
    const long = 'long prompt '.repeat(25_600);
    const system = `--version @${file} ${long}END-OF-SYSTEM`;
    const session = await bench.open({ prompt: { system, append: '--help' } });
    for (const text of ['--version', '-p', file, `\u2028\u2029 separators \r\n`, long]) {
      await say(session, text);
      const messages = JSON.stringify(bench.server.requests.at(-1)?.messages);
      expect(messages).toContain(JSON.stringify(text.trim()).slice(1, -1).slice(0, 200));
      expect(messages).not.toContain('CONTENT-OF-THE-FILE');
    }
    const sent = bench.server.requests.at(-1)?.system ?? '';
    expect(sent).toContain('END-OF-SYSTEM');
    expect(sent).toContain('--version @');
    expect(sent).toContain('--help');
  });

  test('R9 a secret that the model writes piece by piece is in no delta', async () => {
    const key = `sk-ant-api03-${'Zq9'.repeat(32)}`;
    bench = await openClaudeBench(version, () => ({ text: `the key is ${key} and my-plain-token-77, that is all` }), {
      MY_SECRET_TOKEN: 'my-plain-token-77',
    });
    const capture: unknown[] = [];
    const session = await bench.open({ deltas: true }, { tap: (line) => void capture.push(line) });
    await say(session, 'say it');
    const records = await recordsSoFar(session);
    const deltas = records.flatMap((item) => (item.type === 'assistant_delta' ? [item.text] : []));
    const whole = records.find((item) => item.type === 'assistant_text');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(whole?.type === 'assistant_text' ? whole.text : '');
    for (const text of [JSON.stringify(records), JSON.stringify(capture)]) expect(text).not.toMatch(/Zq9Zq9|plain-token/);
  });

  test('S3 inputs sent during a tool-using turn are neither folded into it nor merged', async () => {
    bench = await openClaudeBench(version, (request) => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      const isFirst = request.messages.at(-1)?.text.includes('use a tool');
      return isFirst ? { tool: 'Bash', input: { command: 'touch made', description: 'x' } } : { text: 'done' };
    });
    const asked = Promise.withResolvers<void>();
    const allowed = Promise.withResolvers<'allow'>();
    const session = await bench.open({
      permissions() {
        asked.resolve();
        return allowed.promise;
      },
    });
    const first = session.send('use a tool');
    await asked.promise;
    const rest = ['second', 'third'].map((text) => session.send(text));
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    allowed.resolve('allow');
    expect(await Promise.all([first, ...rest].map((handle) => handle.ended))).toEqual(['completed', 'completed', 'completed']);
    const turns = (await recordsSoFar(session)).flatMap((item) => (item.type === 'turn_ended' ? [item.inputIds] : []));
    expect(turns).toEqual([first, ...rest].map(({ id }) => [id]));
  });

  test('E1 Ctrl-C in a terminal reaches the host and not the vendor', async () => {
    bench = await openClaudeBench(version, () => ({ hang: true }));
    const asked = bench.server.next();
    const host = startHost(bench, { env: { KEEP_ON_SIGINT: '1' }, detached: true });
    const lines: string[] = [];
    const said = (word: string) =>
      new Promise<void>((resolve) =>
        host.stdout.on('data', (data) => lines.push(String(data)) && lines.join('').includes(word) && resolve()),
      );
    await said('\n');
    const pid = Number(lines.join('').split('\n')[0]);
    await asked;
    const interrupted = said('interrupted');
    process.kill(-(host.pid ?? 0), 'SIGINT'); // what a terminal does to its foreground group
    await interrupted;
    expect(() => process.kill(pid, 0)).not.toThrow();
    const gone = once(host, 'exit');
    host.kill('SIGKILL');
    await gone;
  });
});
