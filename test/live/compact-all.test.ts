import type { ModelRequest, Reply } from '@native-compaction/conformance';
import { compactAll, type Session, type SessionRecord } from '@native-compaction/core';
import { afterEach, expect, test } from 'vitest';
import { openClaudeBench } from '../support/claude.ts';
import { openCodexBench } from '../support/codex.ts';
import { openPiBench } from '../support/pi.ts';
import { say } from '../support/sessions.ts';
import { versionsOf } from '../support/vendors.ts';

/** What becomes of each runtime's fifteen sessions: a third of them hang, fail or die. */
const fates = ['hang', 'die', 'fail', 'hang', 'fail', ...Array.from({ length: 10 }, () => 'good')];
const sessions = new Map<string, Session>();

/** The name of a session is in its prompts, and says what becomes of it. */
function script(request: ModelRequest): Reply {
  const [name = '', fate] = /SESSION-[a-z]+-\d+-([a-z]+)/.exec(JSON.stringify(request.messages)) ?? [];
  if (!request.isCompaction) return { text: `fine ${'word '.repeat(10)}` };
  if (fate === 'fail') return { status: 400, message: 'no' };
  if (fate === 'die') end(sessions.get(name));
  return fate === 'good' ? { text: '<analysis>brief</analysis>\n<summary>\nSUMMARY\n</summary>' } : { hang: true };
}

/** Kills the session's process; in process there is none of its own, and it is disposed. */
function end(session: Session | undefined): void {
  const pid = session?.checkpoint().view.statusState.process?.pid;
  if (pid === undefined || pid === process.pid) void session?.dispose();
  else process.kill(pid, 'SIGKILL');
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

test('R1 compactAll over 60 real sessions, a third of which hang, fail or die: one result each, and nobody is killed', {
  timeout: 280_000,
}, async () => {
  const newest = (vendor: string) => versionsOf(vendor).at(-1) ?? '';
  const benches = [
    await openClaudeBench(newest('claude'), script),
    await openCodexBench(newest('codex'), script),
    await openPiBench({ version: newest('pi'), surface: 'rpc' }, script),
    await openPiBench({ version: newest('pi'), surface: 'sdk' }, script),
  ];
  closers.push(...benches.toReversed().map((bench) => bench.close)); // the last one has this process's environment
  const names: string[] = [];
  // One after the other in each runtime: 0.166 of Codex cannot make its home twice at once.
  await Promise.all(
    benches.map(async (bench, place) => {
      for (const [index, fate] of fates.entries()) {
        const name = `SESSION-${'abcd'[place]}-${index}-${fate}`;
        const session = await bench.open();
        sessions.set(name, session);
        names.push(name);
        for (const text of ['first', 'second']) await say(session, `${name} ${text} ${'word '.repeat(40)}`);
      }
    }),
  );
  names.sort((a, b) => Number(a.endsWith('good')) - Number(b.endsWith('good')));
  const all = names.map((name) => sessions.get(name) as Session);
  const throwing = { compact: () => fail(), on: () => ({ [Symbol.dispose]: () => undefined }) } as unknown as Session;

  const stop = new AbortController();
  const records: SessionRecord[] = [];
  const ended = () => records.filter(({ type }) => type === 'compaction_ended').length;
  const results = await compactAll(
    [...all, throwing],
    { signal: stop.signal },
    {
      concurrency: 20,
      onRecord(record) {
        records.push(record);
        if (ended() === 4 * fates.filter((fate) => fate === 'good' || fate === 'fail').length) stop.abort();
      },
    },
  );

  expect(results).toHaveLength(61);
  expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: new Error('a session of somebody else') });
  const wanted: Record<string, object> = {
    good: { status: 'completed' },
    fail: { status: 'failed' },
    hang: { status: 'unconfirmed', reason: 'signal' },
    die: { status: 'unconfirmed' },
  };
  for (const [index, name] of names.entries()) {
    const result = results[index];
    expect(result, name).toMatchObject({ status: 'fulfilled', value: wanted[name.split('-').at(-1) ?? ''] ?? {} });
    expect(result?.status === 'fulfilled' && result.value.sessionId, name).toBe(all[index]?.id);
    if (name.endsWith('hang')) expect(all[index]?.status(), name).toMatchObject({ state: 'compacting' });
    if (name.endsWith('fail')) await say(all[index] as Session, `${name} and on`);
  }
  expect(new Set(records.map(({ log }) => log))).toEqual(new Set(all.map(({ id }) => id)));
});

function fail(): never {
  throw new Error('a session of somebody else');
}
