import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import type { CompactionResult } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, openWired, say, type Wired } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

const isInitialize = (frame: JsonObject) => (frame.request as JsonObject | undefined)?.subtype === 'initialize';
const isCommand = (frame: JsonObject) => String((frame.message as JsonObject | undefined)?.content).startsWith('/compact');

/** Where in a compaction the end comes, told by the frame that passes at that moment. */
const stages: Record<string, (dir: string, frame: JsonObject) => boolean> = {
  'the gate read': (dir, frame) => dir === 'out' && isInitialize(frame),
  'the write': (dir, frame) => dir === 'out' && isCommand(frame),
  queued: (_dir, frame) => frame.state === 'queued',
  started: (_dir, frame) => frame.state === 'started',
  compacting: (_dir, frame) => frame.status === 'compacting',
  'the boundary': (_dir, frame) => frame.subtype === 'compact_boundary',
  'the result': (_dir, frame) => frame.type === 'result' && frame.local_command === 'compact',
};
const isEarly = (stage: string) => stage === 'the gate read';
const isDone = (stage: string) => stage === 'the result';

describe.each(versionsOf('claude'))('R5 the end of a process on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  /** Compacts, and lets `end` loose once at the stage; a provider that hangs keeps the early stages open. */
  const endAt = async (stage: string, end: (wired: Wired) => void, isHanging: boolean) => {
    bench = await openClaudeBench(version);
    let isArmed = false;
    const wired: Wired = await openWired(bench, {
      watch(dir, frame) {
        if (!isArmed || !stages[stage]?.(dir, frame)) return;
        isArmed = false;
        end(wired);
      },
    });
    await say(wired.session, 'something to summarize');
    bench.server.script((request) => (isHanging ? { hang: true } : { text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    isArmed = true;
    const pending = wired.session.compact();
    const held = wired.session.send('held behind it');
    return { wired, pending, held };
  };
  test.each(Object.keys(stages))(
    'R5 SIGINT at %s: Claude says failed, but names no command, so nothing is proven',
    async (stage) => {
      const { wired, pending } = await endAt(
        stage,
        ({ pid }) => process.kill(pid, 'SIGINT'),
        !isDone(stage) && stage !== 'the boundary',
      );
      const result = await pending;
      if (isDone(stage)) expect(result.status).toBe('completed');
      else if (isEarly(stage)) expect(['rejected', 'unconfirmed']).toContain(result.status);
      else if (stage === 'the boundary') expect(['completed', 'unconfirmed']).toContain(result.status);
      else expect(['unconfirmed', 'failed', 'aborted']).toContain(result.status);
      await wired.session.dispose();
      await agreesWithTranscript(wired, result);
    },
  );

  test.each(Object.keys(stages))(
    'R5 stdin ends at %s: Claude finishes what it has, and only its own word counts',
    async (stage) => {
      const { wired, pending } = await endAt(stage, (open) => void open.endInput(), false);
      const result = await pending;
      if (isEarly(stage)) expect(['rejected', 'completed', 'unconfirmed']).toContain(result.status);
      else expect(['completed', 'unconfirmed']).toContain(result.status);
      await agreesWithTranscript(wired, result);
    },
  );

  test('R5 stdin ends while the provider hangs: it stays pending until dispose', async () => {
    const { wired, pending } = await endAt('compacting', (open) => void open.endInput(), true);
    const asked = bench.server.requests.some((request) => request.isCompaction) ? Promise.resolve() : bench.server.next();
    await asked;
    expect(await Promise.race([pending, new Promise((done) => setImmediate(done, 'pending'))])).toBe('pending');
    process.kill(wired.pid, 'SIGTERM');
    expect(await pending).toMatchObject({ status: 'unconfirmed', reason: 'process_exit' });
  });

  test('after a kill in the middle, the session resumes with its whole history, and compacts', async () => {
    const { wired, pending } = await endAt('compacting', ({ pid }) => process.kill(pid, 'SIGKILL'), true);
    expect((await pending).status).toBe('unconfirmed');
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    const again = await bench.open({ resume: wired.session.nativeId });
    await say(again, 'go on');
    expect(JSON.stringify(bench.server.requests.at(-1)?.messages)).toContain('something to summarize');
    expect(await again.compact()).toMatchObject({ status: 'completed' });
  });

  test('after a kill on the result, the compaction is on disk: the next request holds the summary', async () => {
    const { wired, pending } = await endAt('the result', ({ pid }) => process.kill(pid, 'SIGKILL'), false);
    expect((await pending).status).toBe('completed');
    const again = await bench.open({ resume: wired.session.nativeId });
    await say(again, 'go on');
    expect(JSON.stringify(bench.server.requests.at(-1)?.messages)).toContain('SUMMARY-OF-THE-CONVERSATION');
  });

  /** A result that claims something claims what the transcript says. */
  async function agreesWithTranscript({ session }: Wired, result: CompactionResult) {
    const boundaries = bench.transcript(session.nativeId ?? '').filter((row) => row.subtype === 'compact_boundary').length;
    if (result.status === 'completed') expect(boundaries).toBe(1);
    if (result.context === 'unchanged') expect(boundaries).toBe(0);
  }
});
