import { DEFAULT_SUMMARY, type Reply } from '@native-compaction/conformance';
import type { SessionRecord } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, openWired, record, recordsSoFar, say, type Wired } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

/**
 * What the library never does, done behind its back: several messages at once, and a compaction behind a running turn. The
 * records must tell what Claude made of them.
 */
describe.each(versionsOf('claude'))('R6 a driver beside the library on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  const message = (content: string): JsonObject & { uuid: string } => ({
    type: 'user',
    uuid: crypto.randomUUID(),
    session_id: '',
    parent_tool_use_id: null,
    message: { role: 'user', content },
  });
  const control = (request: JsonObject): JsonObject => ({ type: 'control_request', request_id: crypto.randomUUID(), request });
  const turns = (records: readonly SessionRecord[]) => records.flatMap((item) => (item.type === 'turn_ended' ? [item] : []));

  /** A session with a turn that hangs until `release`, and what was written meanwhile. */
  const behindATurn = async (contents: readonly string[]) => {
    bench = await openClaudeBench(version);
    const ended: string[] = [];
    const queued: string[] = [];
    const wired = await openWired(bench, {
      watch(dir, frame) {
        if (dir === 'in' && frame.state === 'queued') queued.push(`${frame.command_uuid}`);
        if (dir === 'in' && ['completed', 'cancelled'].includes(String(frame.state))) ended.push(`${frame.command_uuid}`);
      },
    });
    await say(wired.session, 'one');
    await say(wired.session, 'two');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request): Promise<Reply> => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      if (request.messages.at(-1)?.text.includes('a long turn')) await release.promise;
      return { text: 'done' };
    });
    const asked = bench.server.next();
    const turn = wired.session.send('a long turn');
    await asked;
    const frames = contents.map(message);
    for (const frame of frames) wired.write(frame);
    await expect.poll(() => frames.every(({ uuid }) => queued.includes(uuid)), { timeout: 20_000, interval: 10 }).toBe(true);
    const allEnded = (uuids: readonly string[]) =>
      expect.poll(() => uuids.every((uuid) => ended.includes(uuid)), { timeout: 20_000, interval: 10 }).toBe(true);
    return { wired, turn, release: release.resolve, uuids: frames.map(({ uuid }) => uuid), allEnded };
  };

  test('T5 adjacent prompts merge, and a compaction between them splits the batches', async () => {
    const { wired, turn, release, uuids, allEnded } = await behindATurn(['p2', 'p3', '/compact', 'p5', 'p6']);
    release();
    await allEnded(uuids);
    const [p2, p3, compact, p5, p6] = uuids;
    const said = turns(await recordsSoFar(wired.session)).slice(2);
    expect(said.map(({ inputIds, kind }) => [inputIds, kind])).toEqual([
      [[turn.id], 'prompt'],
      [[p2, p3], 'prompt'],
      [[compact], 'compaction'],
      [[p5, p6], 'prompt'],
    ]);
    expect(said[1]?.inputId).toBe(p3);
    const ended = (await recordsSoFar(wired.session)).filter((item) => item.type === 'compaction_ended');
    expect(ended).toMatchObject([{ origin: 'foreign', outcome: 'completed' }]);
    expect(ended[0]).not.toHaveProperty('requestId');
  });

  test('T5 prompts sent in a tool loop are folded into the running turn, and the compaction runs after it', async () => {
    bench = await openClaudeBench(version);
    const ended: string[] = [];
    const queued: string[] = [];
    const wired = await openWired(bench, {
      open: { permissions: () => 'allow' },
      watch(dir, frame) {
        if (dir === 'in' && frame.state === 'queued') queued.push(`${frame.command_uuid}`);
        if (dir === 'in' && frame.state === 'completed') ended.push(`${frame.command_uuid}`);
      },
    });
    await say(wired.session, 'one');
    await say(wired.session, 'two');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request): Promise<Reply> => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      if (!request.messages.at(-1)?.text.includes('use a tool')) return { text: 'done' };
      await release.promise;
      return { tool: 'Bash', input: { command: 'echo hi', description: 'x' } };
    });
    const asked = bench.server.next();
    const turn = wired.session.send('use a tool');
    await asked;
    const frames = ['steer', '/compact', 'tail'].map(message);
    for (const frame of frames) wired.write(frame);
    const uuids = frames.map(({ uuid }) => uuid);
    await expect.poll(() => uuids.every((uuid) => queued.includes(uuid)), { timeout: 20_000, interval: 10 }).toBe(true);
    release.resolve();
    await expect.poll(() => uuids.every((uuid) => ended.includes(uuid)), { timeout: 20_000, interval: 10 }).toBe(true);
    const said = turns(await recordsSoFar(wired.session)).slice(2);
    expect(said[0]).toMatchObject({ inputId: turn.id, inputIds: [turn.id, uuids[0], uuids[2]], kind: 'prompt' });
    expect(said[1]).toMatchObject({ inputIds: [uuids[1]], kind: 'compaction' });
    expect(await turn.ended).toBe('completed');
  });

  test.each([
    ['a plain interrupt ends the turn, and what is queued runs', () => control({ subtype: 'interrupt' }), true],
    ['an interrupt with the queue takes it too', () => control({ subtype: 'interrupt', cancel_queued: true }), false],
  ])('%s', async (_what, frame, runs) => {
    const { wired, turn, release, uuids, allEnded } = await behindATurn(['/compact', 'behind it']);
    wired.write(frame());
    expect(await turn.ended).toBe('aborted');
    release();
    await allEnded(uuids);
    expect(bench.server.requests.some((request) => request.isCompaction)).toBe(runs);
    const records = await recordsSoFar(wired.session);
    expect(turns(records).some(({ kind }) => kind === 'compaction')).toBe(runs);
    expect(records.some((item) => item.type === 'compaction_dispatched')).toBe(false);
    await usable(wired);
  });

  test('cancel_async_message takes one message out of the queue', async () => {
    const { wired, turn, release, uuids, allEnded } = await behindATurn(['/compact', 'behind it']);
    wired.write(control({ subtype: 'cancel_async_message', message_uuid: uuids[0] }));
    await allEnded(uuids.slice(0, 1));
    release();
    expect(await turn.ended).toBe('completed');
    await allEnded(uuids);
    expect(bench.server.requests.some((request) => request.isCompaction)).toBe(false);
    await usable(wired);
  });

  test('two compactions in a row, and one while ours is refused meanwhile', async () => {
    const { wired, turn, release, uuids, allEnded } = await behindATurn(['/compact', '/compact']);
    release();
    await turn.ended;
    const meanwhile = await wired.session.compact();
    await allEnded(uuids);
    expect(['rejected', 'completed', 'failed']).toContain(meanwhile.status);
    if (meanwhile.status === 'rejected') expect(['busy_turn', 'busy_compaction']).toContain(meanwhile.reason);
    await usable(wired);
  });

  /** The library goes on as if nothing had happened. */
  async function usable({ session }: Wired) {
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    await say(session, 'go on');
    await say(session, 'and on');
    expect((await session.compact()).status).toBe('completed');
    await record(session, 'compaction_ended', (item) => item.origin === 'manual');
  }
});
