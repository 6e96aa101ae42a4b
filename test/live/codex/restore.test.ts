import type { CodexOpenOptions } from '@native-compaction/codex';
import type { CompactOptions, Session } from '@native-compaction/core';
import { type RestoreOptions, restoreSession } from '@native-compaction/restore';
import { afterEach, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { record, say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const all = ['OLD-BASE', 'OLD-DEVELOPER', 'NEW-BASE', 'NEW-DEVELOPER'];
/** Base instructions change with the resume; developer instructions stand in the history. */
const [mixed, fresh] = [['OLD-DEVELOPER', 'NEW-BASE'], all.slice(2)];
const summarize = (request: { isCompaction: boolean }) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' });
const effects = (append: string) => ({ system: 'in-effect', append });

describe.each(versionsOf('codex'))('restoreSession on Codex %s', (version) => {
  let bench: CodexBench;
  let pid = 0;
  afterEach(() => bench.close());

  const begin = async () => {
    bench = await openCodexBench(version, summarize);
    const first = await bench.open({ prompt: { system: 'OLD-BASE', append: 'OLD-DEVELOPER' } });
    await say(first, 'hello');
    await first.dispose();
    return first.nativeId;
  };
  const restore = (resume: string | undefined, compact: RestoreOptions['compact'], more: CompactOptions = {}) => {
    const tap = (line: { pid: number }) => {
      pid = line.pid;
    };
    const runtime = { open: (open: CodexOpenOptions = {}) => bench.open(open, { tap }) };
    return restoreSession(runtime, { resume, prompt: { system: 'NEW-BASE', append: 'NEW-DEVELOPER' }, compact, ...more });
  };
  const carried = async (session: Session) => {
    await say(session, 'next');
    const request = bench.server.requests.at(-1);
    const text = `${request?.system}${JSON.stringify(request?.messages)}`;
    return all.filter((marker) => text.includes(marker));
  };

  test('P1 when needed: it compacts, and the next request carries both new texts and no old one', async () => {
    const { session, compaction, prompt } = await restore(await begin(), 'when-needed');
    expect([compaction?.status, prompt]).toEqual(['completed', effects('in-effect')]);
    expect(await carried(session)).toEqual(fresh);
  });

  test('P1 not needed where only the base instructions are given, which change with the resume', async () => {
    const resume = await begin();
    const { session, compaction, prompt } = await restoreSession(
      { open: bench.open },
      { resume, prompt: { system: 'NEW-BASE' }, compact: 'when-needed' },
    );
    expect([compaction, prompt]).toEqual([undefined, effects('at-next-compaction')]);
    expect(await carried(session)).toEqual(mixed);
  });

  test('P1 never, and failed: the old developer instructions stay', async () => {
    const resume = await begin();
    const waiting = await restore(resume, 'never');
    expect([waiting.compaction, waiting.prompt]).toEqual([undefined, effects('at-next-compaction')]);
    expect(await carried(waiting.session)).toContain('OLD-DEVELOPER');
    await waiting.session.dispose();
    bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
    const failed = await restore(resume, 'always');
    expect([failed.compaction?.status, failed.prompt]).toEqual(['failed', effects('at-next-compaction')]);
    expect(await carried(failed.session)).toContain('OLD-DEVELOPER');
  });

  test('P1 timed out: unknown, and when it completes late the new text is there', async () => {
    const release = Promise.withResolvers<void>();
    const resume = await begin();
    bench.server.script(async (request) => {
      if (request.isCompaction) await release.promise;
      return summarize(request);
    });
    const { session, compaction, prompt } = await restore(resume, 'when-needed', { timeoutMs: 0, requestId: 'r' });
    expect([compaction, prompt]).toMatchObject([{ reason: 'timeout' }, effects('unknown')]);
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
    expect([compaction, prompt]).toMatchObject([{ reason: 'process_exit' }, effects('unknown')]);
    expect(await carried((await restore(resume, 'never')).session)).toContain('OLD-DEVELOPER');
  });
});
