import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_SUMMARY, type ModelRequest, type Reply } from '@native-compaction/conformance';
import type { Session, SessionRecord } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, openWired, record, recordsSoFar, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

/** The smallest window that makes Claude compact by itself, and figures that fill it. */
const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' };
const full = { usage: { inputTokens: 110_000 } };
const last = (request: ModelRequest) => request.messages.at(-1)?.text ?? '';
const compactions = (records: readonly SessionRecord[]) =>
  records
    .filter((item) => item.type === 'compaction_started' || item.type === 'compaction_ended')
    .map((item) => [item.type, item.origin, 'outcome' in item ? item.outcome : undefined]);

describe.each(versionsOf('claude'))('R6 compactions that are not ours on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  /** Two exchanges, so that there is something to compact. */
  const seed = async (session: Session) => {
    bench.server.script(() => ({ text: 'fine' }));
    await say(session, 'one');
    await say(session, 'two');
  };

  test('automatic before a prompt, then ours: each is told apart', async () => {
    bench = await openClaudeBench(version, undefined, window);
    const session = await bench.open();
    await seed(session);
    bench.server.script(() => ({ text: 'fine', ...full }));
    await say(session, 'fills the window');
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    await say(session, 'is compacted first');
    expect(compactions(await recordsSoFar(session))).toEqual([
      ['compaction_started', 'automatic', undefined],
      ['compaction_ended', 'automatic', 'completed'],
    ]);
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'completed' });
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(compactions(await recordsSoFar(session)).slice(2)).toEqual([
      ['compaction_started', 'manual', undefined],
      ['compaction_ended', 'manual', 'completed'],
    ]);
  });

  test('automatic in a tool loop while ours is refused; T1 the status stays running', async () => {
    bench = await openClaudeBench(version, undefined, window);
    const release = Promise.withResolvers<void>();
    const session = await bench.open({ permissions: () => 'allow' });
    await seed(session);
    bench.server.script(async (request): Promise<Reply> => {
      if (request.isCompaction) {
        await release.promise;
        return { text: DEFAULT_SUMMARY };
      }
      return last(request).includes('use a tool')
        ? { tool: 'Bash', input: { command: 'echo hi', description: 'x' }, ...full }
        : { text: 'done' };
    });
    const asking = bench.server.next((request) => request.isCompaction);
    const turn = session.send('use a tool');
    await asking;
    await record(session, 'compaction_started');
    expect(session.status()).toMatchObject({ state: 'running' });
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    release.resolve();
    expect(await turn.ended).toBe('completed');
    expect(compactions(await recordsSoFar(session))).toEqual([
      ['compaction_started', 'automatic', undefined],
      ['compaction_ended', 'automatic', 'completed'],
    ]);
  });

  test('an automatic one that fails does not fail the turn', async () => {
    bench = await openClaudeBench(version, undefined, window);
    const session = await bench.open();
    await seed(session);
    bench.server.script(() => ({ text: 'fine', ...full }));
    await say(session, 'fills the window');
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
    await say(session, 'goes on');
    expect(compactions(await recordsSoFar(session))).toContainEqual(['compaction_ended', 'automatic', 'failed']);
  });

  test('an automatic one that is aborted ends its turn aborted; ours then completes', async () => {
    bench = await openClaudeBench(version, undefined, window);
    const session = await bench.open();
    await seed(session);
    bench.server.script(() => ({ text: 'fine', ...full }));
    await say(session, 'fills the window');
    bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    const asking = bench.server.next((request) => request.isCompaction);
    const turn = session.send('is interrupted');
    await asking;
    await session.abort();
    expect(await turn.ended).toBe('aborted');
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(compactions(await recordsSoFar(session)).map(([type, origin]) => [type, origin])).toEqual([
      ['compaction_started', 'automatic'],
      ['compaction_ended', 'automatic'],
      ['compaction_started', 'manual'],
      ['compaction_ended', 'manual'],
    ]);
  });

  test('one that the provider forces by refusing the prompt is automatic too', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'one');
    await say(session, 'two');
    let isRefused = false;
    bench.server.script((request) => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      if (isRefused) return { text: 'fine' };
      isRefused = true;
      return { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' };
    });
    await say(session, 'is too long');
    const all = compactions(await recordsSoFar(session));
    expect(all.every(([, origin]) => origin === 'automatic')).toBe(true);
    expect(bench.server.requests.some((request) => request.isCompaction)).toBe(true);
    expect(await session.compact()).not.toMatchObject({ status: 'unconfirmed' });
  });

  test('without automatic ones, a full session is blocked, and ours still completes', async () => {
    bench = await openClaudeBench(version, undefined, { DISABLE_AUTO_COMPACT: '1' });
    const session = await bench.open();
    bench.server.script(() => ({ text: 'fine', usage: { inputTokens: 190_000 } }));
    await say(session, 'fills the window');
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test('a child agent that compacts and lives across ours settles nothing', async () => {
    bench = await openClaudeBench(version, undefined, window);
    const session = await bench.open({ permissions: () => 'allow' }, { args: ['--allowedTools=Bash,Task,Agent'] });
    await seed(session);
    const release = Promise.withResolvers<void>();
    let ofChild = 0;
    bench.server.script(async (request): Promise<Reply> => {
      const isChild = request.messages.some(({ role, text }) => role === 'user' && text.includes('CHILD-WORK'));
      if (isChild) ofChild += 1;
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      if (isChild && ofChild === 2) await release.promise;
      if (isChild && ofChild < 4) return { tool: 'Bash', input: { command: 'echo child', description: 'x' }, ...full };
      if (last(request).includes('start a child'))
        return { tool: 'Task', input: { description: 'child', prompt: 'CHILD-WORK', subagent_type: 'general-purpose' } };
      return { text: 'done' };
    });
    await say(session, 'start a child');
    await record(session, 'task_started');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(Object.keys(session.checkpoint().view.tasks)).toHaveLength(1);
    release.resolve();
    await record(session, 'task_ended');
    await say(session, 'go on');
    expect(compactions(await recordsSoFar(session)).every(([, origin]) => origin === 'manual')).toBe(true);
    expect(session.checkpoint().view.tasks).toEqual({});
  });

  test('an autonomous turn after a background command settles nothing, and inputs wait for it', async () => {
    bench = await openClaudeBench(version);
    const finish = `${bench.home}/finish`;
    const command = `while [ ! -e ${finish} ]; do sleep 0.05; done; echo finished`;
    bench.server.script((request): Reply => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      return last(request).includes('run it behind')
        ? { tool: 'Bash', input: { command, description: 'x', run_in_background: true } }
        : { text: 'done' };
    });
    const session = await bench.open({ permissions: () => 'allow' });
    await say(session, 'run it behind');
    const first = await session.compact();
    expect(first).toMatchObject({ status: 'completed' });
    const notified = bench.server.next();
    bench.write('~/finish', '');
    await notified;
    await say(session, 'after the autonomous turn');
    const turns = (await recordsSoFar(session)).filter((item) => item.type === 'turn_ended');
    const autonomous = turns.filter((item) => item.inputIds === undefined);
    expect(autonomous).toHaveLength(1);
    expect(autonomous[0]).toMatchObject({ kind: 'prompt' });
    expect(autonomous[0]).not.toHaveProperty('inputId');
    expect(await session.compact()).not.toMatchObject({ status: 'unconfirmed' });
  });

  test('S5 G1 an input that a turn of its own takes in ends as that turn does, and nothing is idle before its result', async () => {
    bench = await openClaudeBench(version);
    bench.server.script((request): Reply => {
      if (last(request).includes('wait for'))
        return { tool: 'Bash', input: { command: waitFor(last(request)), description: 'x', run_in_background: true } };
      const isOwn = last(request).includes('task-notification') && !last(request).includes('hello');
      return isOwn ? { tool: 'Bash', input: { command: 'sleep 0.1', description: 'y' } } : { text: 'done' };
    });
    const waitFor = (text: string) =>
      `while [ ! -e ${bench.home}/finish${/wait for (\d+)/.exec(text)?.[1]} ]; do sleep 0.02; done`;
    const session = await bench.open({ permissions: () => 'allow' });
    for (let n = 0; n < 20; n += 1) {
      await say(session, `wait for ${n}`);
      bench.write(`~/finish${n}`, '');
      await sleep(n % 12);
      expect(await session.send(`hello ${n}`).ended).toBe('completed');
    }
    const ended = (await recordsSoFar(session)).filter((item) => item.type === 'turn_ended');
    expect(ended.filter(({ outcome }) => outcome !== 'completed')).toEqual([]);
  });

  test('a uuid that was used before is swallowed by Claude: ours stays open, never completed by another', async () => {
    bench = await openClaudeBench(version);
    const used: string[] = [];
    const wired = await openWired(bench, {
      watch(dir, frame, write) {
        if (dir !== 'out' || frame.type !== 'user') return;
        const content = String((frame.message as { content?: unknown }).content);
        if (content.startsWith('/compact') && used.length === 0) {
          used.push(String(frame.uuid));
          write(frame);
        }
      },
    });
    await say(wired.session, 'hello');
    expect(await wired.session.compact()).toMatchObject({ status: 'completed' });
    await say(wired.session, 'the second copy ran nothing');
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(1);
  });
});
