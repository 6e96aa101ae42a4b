import { readdirSync } from 'node:fs';
import { compactionResultSchema } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { record, recordsSoFar, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('codex'))('Codex %s', (version) => {
  let bench: CodexBench;
  afterEach(() => bench.close());

  test('R1 completed: bound at its turn, with the item and the end of that turn', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'remember the word heron');
    const result = await session.compact();
    expect(compactionResultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({ status: 'completed', context: 'compacted', runtime: 'codex', vendorVersion: version });
    expect(result.evidence.map(({ kind }) => kind)).toEqual([
      'dispatched',
      'accepted',
      'turn_started',
      'item_started',
      'item_completed',
      'turn_completed',
    ]);
    expect(new Set(result.evidence.slice(2).map(({ ids }) => ids.turnId)).size).toBe(1);
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(1);
    expect(bench.rollout(session.nativeId ?? '').filter((line) => line.type === 'compacted')).toHaveLength(1);
    await say(session, 'go on');
    expect((await session.compact()).status).toBe('completed');
  });

  test('an empty thread and a resumed one are compacted as well: Codex knows no "nothing to compact"', async () => {
    bench = await openCodexBench(version);
    const empty = await bench.open();
    expect((await empty.compact()).status).toBe('completed');
    const first = await bench.open();
    await say(first, 'hello');
    await first.dispose();
    const again = await bench.open({ resume: first.nativeId });
    expect(again.nativeId).toBe(first.nativeId);
    expect((await again.compact()).status).toBe('completed');
  });

  test('after a failed, an aborted and a systemError turn the thread is ready', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    bench.server.script(() => ({ status: 400, message: 'no' }));
    expect(await session.send('fails').ended).toBe('failed');
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    expect((await session.compact()).status).toBe('completed');
    bench.server.script(() => ({ hang: true }));
    const asked = bench.server.next();
    const turn = session.send('hangs');
    await asked;
    await session.abort();
    expect(await turn.ended).toBe('aborted');
    bench.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    expect((await session.compact()).status).toBe('completed');
    expect(session.status()).toMatchObject({ state: 'idle', lastOutcome: 'aborted' });
  });

  test('R4 S4 timed out: only the waiting ends; a held input follows, and is never sent into the compaction', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request) => {
      if (request.isCompaction) await release.promise;
      return { text: request.isCompaction ? 'SUMMARY' : 'fine' };
    });
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = session.compact({ timeoutMs: 400, requestId: 'slow' });
    const held = [session.send('one'), session.send('two')];
    await asked;
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'timeout', started: true });
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_compaction' });
    release.resolve();
    expect(await record(session, 'compaction_ended')).toMatchObject({ outcome: 'completed', late: true, requestId: 'slow' });
    expect(await Promise.all(held.map((handle) => handle.ended))).toEqual(['completed', 'completed']);
    const prompts = bench.server.requests
      .filter((request) => !request.isCompaction)
      .map((request) => request.messages.at(-1)?.text);
    expect(prompts).toEqual(['hello', 'one', 'two']);
  });

  test('G1 a running turn is refused and unharmed; two calls in one tick give one compaction', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    const release = Promise.withResolvers<void>();
    bench.server.script(async (request) => {
      if (!request.isCompaction) await release.promise;
      return { text: request.isCompaction ? 'SUMMARY' : 'fine' };
    });
    const asked = bench.server.next();
    const turn = session.send('slow');
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    await asked;
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'busy_turn' });
    release.resolve();
    expect(await turn.ended).toBe('completed');
    const results = await Promise.all([session.compact(), session.compact()]);
    expect(results.map(({ status }) => status)).toEqual(['completed', 'rejected']);
    expect(bench.server.requests.filter((request) => request.isCompaction)).toHaveLength(1);
  });

  test('instructions per call are misuse that says what to do instead', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open();
    const error = await session.compact({ instructions: 'keep it' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(String(error)).toContain('configuration');
  });

  test('compact_prompt is offered as configuration', async () => {
    bench = await openCodexBench(version);
    const session = await bench.open({}, { config: { compact_prompt: 'MY-OWN-COMPACT-PROMPT' } });
    await say(session, 'hello');
    expect((await session.compact()).status).toBe('completed');
    const asked = bench.server.requests.at(-1);
    expect(asked?.messages.at(-1)?.text).toContain('MY-OWN-COMPACT-PROMPT');
    expect(asked?.isCompaction).toBe(true);
  });

  test('P1 base instructions change at resume, developer instructions with a completed compaction', async () => {
    bench = await openCodexBench(version);
    const all = ['OLD-BASE', 'OLD-DEV', 'NEW-BASE', 'NEW-DEV'];
    const carried = () => {
      const sent = JSON.stringify(bench.server.requests.at(-1));
      return all.filter((marker) => sent.includes(marker));
    };
    const first = await bench.open({ prompt: { system: 'OLD-BASE', append: 'OLD-DEV' } });
    await say(first, 'hello');
    expect(carried()).toEqual(['OLD-BASE', 'OLD-DEV']);
    await first.dispose();
    const session = await bench.open({ resume: first.nativeId, prompt: { system: 'NEW-BASE', append: 'NEW-DEV' } });
    expect(session.promptChange).toEqual({ system: 'at-resume', append: 'at-next-compaction' });
    await say(session, 'before');
    expect(carried()).toEqual(['OLD-DEV', 'NEW-BASE']);
    expect((await session.compact()).status).toBe('completed');
    await say(session, 'after');
    expect(carried()).toEqual(['NEW-BASE', 'NEW-DEV']);
  });

  test('T7 records tell a conversation with a tool', async () => {
    bench = await openCodexBench(version, (request) => {
      const last = request.messages.at(-1);
      return last?.role === 'user' && last.text.includes('use a tool')
        ? { tool: 'exec_command', input: { cmd: 'echo from-the-tool' } }
        : { text: request.isCompaction ? 'SUMMARY' : 'done' };
    });
    const session = await bench.open({ permissions: () => 'allow', deltas: true });
    await say(session, 'use a tool');
    const records = await recordsSoFar(session);
    const types = records.map((item) => item.type);
    // Two requests were asked in that turn, of 1,000 and 50 tokens each.
    expect(records.findLast((item) => item.type === 'turn_ended')).toMatchObject({
      usage: { inputTokens: 2_000, outputTokens: 100 },
    });
    for (const wanted of ['tool_called', 'tool_result', 'assistant_text', 'turn_ended'] as const) expect(types).toContain(wanted);
  });

  test('T8 approvals go to the host; without one, or when it says no, the command does not run', async () => {
    bench = await openCodexBench(version, (request) => {
      const last = request.messages.at(-1);
      if (last?.role !== 'user' || !last.text.startsWith('run ')) return { text: request.isCompaction ? 'SUMMARY' : 'done' };
      const outside = { sandbox_permissions: 'require_escalated', justification: 'to write a file' };
      return { tool: 'exec_command', input: { cmd: `touch ${last.text.slice(4)}`, ...outside } };
    });
    const asked: string[] = [];
    const host = await bench.open({
      permissions({ tool, input }) {
        const { command } = input as { command: string };
        asked.push(`${tool} ${command}`);
        return command.includes('yes') ? 'allow' : { deny: 'not this one' };
      },
    });
    await host.send('run yes.txt').ended;
    await host.send('run no.txt').ended;
    const alone = await bench.open();
    await alone.send('run alone.txt').ended;
    expect(readdirSync(bench.project).sort()).toEqual(['yes.txt']);
    expect(asked).toEqual([
      expect.stringMatching(/^commandExecution .*touch yes\.txt/),
      expect.stringMatching(/^commandExecution .*touch no\.txt/),
    ]);
    const answers = (await recordsSoFar(host)).flatMap((item) => (item.type === 'permission_answered' ? [item.decision] : []));
    expect(answers).toEqual(['allow', 'deny']);
    expect((await host.compact()).status).toBe('completed');
  });
});
