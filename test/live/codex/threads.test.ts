import { createCodexRuntime } from '@native-compaction/codex';
import { itemResponse } from '@native-compaction/conformance';
import type { SessionRecord } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { record, recordsSoFar, say } from '../../support/sessions.ts';
import { codexExecutable, versionsOf } from '../../support/vendors.ts';

const tasksOf = (records: readonly SessionRecord[]) =>
  records.flatMap((item) => ('taskId' in item && item.taskId !== undefined ? [[item.type, item.taskId]] : []));

describe.each(versionsOf('codex'))('R6 other threads and other clients on Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('R6 a child agent that runs beside a compaction is told as its own, and settles nothing', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    const child = Promise.withResolvers<void>();
    const spawn = { type: 'function_call', id: 'fc_1', call_id: 'call_1', namespace: 'multi_agent_v1', name: 'spawn_agent' };
    bench.server.stream(itemResponse({ ...spawn, arguments: JSON.stringify({ message: 'CHILD-WORK' }) }));
    bench.server.script(async (request) => {
      if (request.messages.some(({ role, text }) => role === 'user' && text.includes('CHILD-WORK'))) await child.promise;
      return { text: request.isCompaction ? 'SUMMARY' : 'fine' };
    });
    await say(session, 'start a child');
    const { taskId } = await record(session, 'task_started');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    child.resolve();
    expect(await record(session, 'task_ended')).toMatchObject({ taskId, outcome: 'completed' });
    const records = await recordsSoFar(session);
    for (const [, id] of tasksOf(records)) expect(id).toBe(taskId);
    const compaction = records.findIndex(({ type }) => type === 'compaction_ended');
    expect(records.findIndex(({ type }) => type === 'task_ended')).toBeGreaterThan(compaction);
    await say(session, 'go on');
  });

  test('a shell command inside the compact turn does not disturb the proof', async () => {
    bench = await openCodexBench(version);
    const { session, request } = await bench.openWired();
    await say(session, 'hello');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (asked) => {
      if (asked.isCompaction) await release.promise;
      return { text: 'SUMMARY' };
    });
    const asked = bench.server.next();
    const pending = session.compact();
    await asked;
    await request('thread/shellCommand', { threadId: session.nativeId ?? '', command: 'echo from-the-shell' });
    expect(await record(session, 'tool_result')).toMatchObject({ text: 'from-the-shell\n', isError: false });
    release.resolve();
    expect(await pending).toMatchObject({ status: 'completed' });
  });

  test.each(['thread/archive', 'thread/delete'])(
    '%s by another client: what it interrupted is aborted by the native side, and nothing is written any more',
    async (method) => {
      bench = await openCodexBench(version);
      const { session, request } = await bench.openWired({ experimentalApi: true });
      await say(session, 'hello');
      bench.server.script((asked) => (asked.isCompaction ? { hang: true } : { text: 'fine' }));
      const asked = bench.server.next();
      const pending = session.compact();
      await asked;
      await request(method, { threadId: session.nativeId ?? '' });
      expect(await pending).toMatchObject({ status: 'aborted', by: 'native', context: 'unchanged' });
      expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'not_ready' });
      expect(await session.send('too late').ended).toBe('undelivered');
      const ends = (await recordsSoFar(session)).filter((item) => item.type === 'input_ended');
      expect(ends.at(-1)).toMatchObject({ outcome: 'undelivered', message: expect.stringContaining('thread') });
    },
  );

  test('S1 thread/unsubscribe by another client: no frame comes, so the slot stays held, and dispose is the way out', async () => {
    bench = await openCodexBench(version);
    const { session, request } = await bench.openWired();
    await say(session, 'hello');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (asked) => {
      if (asked.isCompaction) await release.promise;
      return { text: 'SUMMARY' };
    });
    const asked = bench.server.next();
    const pending = session.compact();
    await asked;
    await request('thread/unsubscribe', { threadId: session.nativeId ?? '' });
    const held = session.send('held');
    release.resolve();
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    await session.dispose();
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'disposed', started: true });
    expect(await held.ended).toBe('undelivered');
    const again = await bench.open({ resume: session.nativeId });
    expect((await again.compact()).status).toBe('completed');
  });

  test('P1 a thread that a session of the same runtime holds is refused, and so is one that another process holds', async () => {
    bench = await openCodexBench(version);
    const executable = codexExecutable(version);
    const runtime = createCodexRuntime({ executable, env: bench.env });
    const first = await runtime.open({ cwd: bench.project });
    await say(first, 'hello');
    const again = { cwd: bench.project, resume: first.nativeId };
    await expect(runtime.open(again)).rejects.toMatchObject({ code: 'session_held' });
    const other = createCodexRuntime({ executable, env: bench.env });
    await expect(other.open(again)).rejects.toMatchObject({
      code: 'resume_failed',
      message: expect.stringContaining('already has an active writer'),
    });
    await first.dispose();
    await other.close();
    const second = await runtime.open(again);
    expect((await second.compact()).status).toBe('completed');
    await runtime.close();
  });
});
