import type { ClaudeOpenOptions } from '@native-compaction/claude';
import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import type { CompactOptions, Session } from '@native-compaction/core';
import { type RestoreOptions, restoreSession } from '@native-compaction/restore';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, record, recordsSoFar, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

const all = ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'];
const [old, fresh] = [all.slice(0, 2), all.slice(2)];
const summarize = (request: { isCompaction: boolean }) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' });
const both = (effect: string) => ({ system: effect, append: effect });

describe.each(versionsOf('claude'))('P1 restoreSession on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  let pid = 0;
  afterEach(() => bench.close());

  const begin = async () => {
    bench = await openClaudeBench(version, summarize);
    const first = await bench.open({ prompt: { system: 'OLD-SYSTEM', append: 'OLD-APPEND' } });
    await say(first, 'hello');
    await say(first, 'and more');
    await first.dispose();
    return first.nativeId;
  };
  const restore = (
    resume: string | undefined,
    compact: RestoreOptions['compact'],
    more: CompactOptions = {},
    args: string[] = [],
  ) => {
    const tap = (line: { pid: number }) => {
      pid = line.pid;
    };
    const runtime = { open: (open: ClaudeOpenOptions = {}) => bench.open(open, { args, tap }) };
    return restoreSession(runtime, { resume, prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' }, compact, ...more });
  };
  /** Which of the four texts the next provider request carries. */
  const carried = async (session: Session) => {
    await say(session, 'next');
    const system = bench.server.requests.at(-1)?.system ?? '';
    return all.filter((marker) => system.includes(marker));
  };

  test('P1 when needed: it compacts, sends nothing, and what it says is in effect is in the next request', async () => {
    const { session, compaction, prompt } = await restore(await begin(), 'when-needed');
    expect([compaction?.status, prompt]).toEqual(['completed', both('in-effect')]);
    expect((await recordsSoFar(session)).filter(({ type }) => type === 'input_accepted')).toEqual([]);
    expect(await carried(session)).toEqual(fresh);
  });

  test('P1 never: nothing is compacted, and the next request carries the old text; without a prompt nothing is needed', async () => {
    const resume = await begin();
    const { session, compaction, prompt } = await restore(resume, 'never');
    expect([compaction, prompt]).toEqual([undefined, both('at-next-compaction')]);
    expect(await carried(session)).toEqual(old);
    await session.dispose();
    const plain = await restoreSession({ open: bench.open }, { resume, compact: 'when-needed' });
    expect(plain.compaction).toBeUndefined();
  });

  test('P1 failed, and called off before it was sent: the old text stays', async () => {
    const resume = await begin();
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
    const failed = await restore(resume, 'always');
    expect([failed.compaction?.status, failed.prompt]).toEqual(['failed', both('at-next-compaction')]);
    expect(await carried(failed.session)).toEqual(old);
    await failed.session.dispose();
    const stopped = await restore(resume, 'always', { signal: AbortSignal.abort() });
    expect([stopped.compaction, stopped.prompt]).toMatchObject([{ reason: 'aborted' }, both('at-next-compaction')]);
    expect(await carried(stopped.session)).toEqual(old);
  });

  test('P1 timed out: unknown, and when it completes late the new text is there', async () => {
    const release = Promise.withResolvers<void>();
    const resume = await begin();
    bench.server.script(async (request) => {
      if (request.isCompaction) await release.promise;
      return summarize(request);
    });
    const { session, compaction, prompt } = await restore(resume, 'when-needed', { timeoutMs: 0, requestId: 'r' });
    expect([compaction, prompt]).toMatchObject([{ reason: 'timeout' }, both('unknown')]);
    release.resolve();
    await record(session, 'compaction_ended', ({ late }) => late === true);
    expect(await carried(session)).toEqual(fresh);
  });

  test('P1 killed in the middle: unknown, and what is resumed carries the old text', async () => {
    const resume = await begin();
    bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    const asked = bench.server.next((request) => request.isCompaction);
    const pending = restore(resume, 'always');
    await asked;
    process.kill(pid, 'SIGKILL');
    const { compaction, prompt } = await pending;
    expect([compaction, prompt]).toMatchObject([{ reason: 'process_exit' }, both('unknown')]);
    expect(await carried((await restore(resume, 'never')).session)).toEqual(old);
  });

  test('where passthrough arguments touch the prompt it says unknown, also of one that completed', async () => {
    const resume = await begin();
    const restored = await restore(resume, 'always', {}, ['--system-prompt-snapshot=off']);
    expect([restored.compaction?.status, restored.prompt]).toEqual(['completed', both('unknown')]);
    await restored.session.dispose();
    const unasked = await restore(resume, 'when-needed', {}, ['--system-prompt-snapshot=off']);
    expect([unasked.compaction, unasked.prompt]).toEqual([undefined, both('unknown')]);
  });

  test('R1 misuse is a coded error, and leaves no process', async () => {
    const resume = await begin();
    await expect(restore(resume, 'sometimes' as never)).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(restore(undefined, 'never')).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(restore(resume, 'always', { timeoutMs: -1 })).rejects.toMatchObject({ code: 'invalid_options' });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
