import { DEFAULT_SUMMARY, type ModelRequest, type ModelServer, type Reply } from '@native-compaction/conformance';
import type { CompactOptions, OpenOptions, PromptChange, Session, WhenInEffect } from '@native-compaction/core';
import { type PromptEffect, type Restored, type RestoreOptions, restoreSession } from '@native-compaction/restore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { record, recordsSoFar, say } from './sessions.ts';

interface RestoreBench {
  readonly server: ModelServer;
  open(options: OpenOptions): Promise<Session>;
  close(): Promise<void>;
}

/** One runtime, as a session of it is restored with a changed prompt. */
export interface RestoreSetup<B extends RestoreBench> {
  openBench(script: (request: ModelRequest) => Reply): Promise<B>;
  /** Enough history that there is something to compact. */
  seed(session: Session): Promise<void>;
  readonly declared: PromptChange;
  /** Which of the four texts a request carries until a compaction has completed, and after it: the new ones alone when absent. */
  readonly before: readonly Text[];
  readonly after?: readonly Text[];
  /** What a compaction that the vendor cancels in the middle comes to. */
  readonly cancelled: 'aborted' | 'failed';
  /** In process there is no vendor process to kill; the session is disposed instead. */
  readonly isInProcess?: boolean;
}

export interface RestoreContext<B> {
  readonly bench: () => B;
  /** The id of a session that has had some turns with the old prompt. */
  begin(): Promise<string | undefined>;
  /** Which of the four texts the next provider request carries. */
  carried(session: Session): Promise<readonly Text[]>;
  /** What is said of each part when no compaction has completed, and when that is not known. */
  readonly waiting: Effects;
  readonly unknown: Effects;
  readonly inEffect: Effects;
}

type Effects = Restored['prompt'];
const texts = ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'] as const;
type Text = (typeof texts)[number];
const old = { system: 'OLD-SYSTEM', append: 'OLD-APPEND' };
export const fresh = { system: 'NEW-SYSTEM', append: 'NEW-APPEND' };
const freshTexts = texts.slice(2);
const summarize = (request: ModelRequest) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' });

/** The good case and each bad one, proven by the next provider request, in the same session and after another open. */
export function describeRestore<B extends RestoreBench>(
  title: string,
  setup: RestoreSetup<B>,
  more: (context: RestoreContext<B>) => void = () => undefined,
): void {
  describe(`P1 restoreSession on ${title}`, () => {
    let bench: B;
    /** A session in which no compaction has completed, whatever was tried on it. */
    let untouched: string | undefined;
    const { declared, before, after = freshTexts, seed } = setup;

    const begin = async () => {
      const first = await bench.open({ prompt: old });
      await seed(first);
      await first.dispose();
      return first.nativeId;
    };
    beforeAll(async () => {
      bench = await setup.openBench(summarize);
      untouched = await begin();
    });
    afterAll(() => bench.close());

    const restore = (
      resume: string | undefined,
      compact: RestoreOptions['compact'],
      options: CompactOptions = {},
      onOpen?: (session: Session) => void,
    ) => {
      const runtime = {
        async open(open: OpenOptions = {}) {
          const session = await bench.open(open);
          onOpen?.(session);
          return session;
        },
      };
      return restoreSession(runtime, { resume, prompt: fresh, compact, ...options });
    };
    const carried = async (session: Session) => {
      await say(session, 'next');
      const { system, messages } = bench.server.requests.at(-1) ?? {};
      const text = `${system}${JSON.stringify(messages)}`;
      return texts.filter((marker) => text.includes(marker));
    };
    const effectOf = (when: WhenInEffect, effect: PromptEffect) => {
      if (when === 'unknown') return 'unknown';
      return when === 'at-resume' ? 'in-effect' : effect;
    };
    const effects = (effect: PromptEffect): Effects => ({
      system: effectOf(declared.system, effect),
      append: effectOf(declared.append, effect),
    });
    const [waiting, unknown, inEffect] = [effects('at-next-compaction'), effects('unknown'), effects('in-effect')];
    /** What another open finds, which is what the file of the session holds. */
    const carriedAnew = async (resume: string | undefined, was?: Session) => {
      await was?.dispose();
      const { session, compaction } = await restore(resume, 'never');
      expect(compaction).toBeUndefined();
      const found = await carried(session);
      await session.dispose();
      return found;
    };
    /** A compaction that is being made when `act` is called; the provider does not answer until `act` has ended. */
    const restoreInTheMiddle = async (
      resume: string | undefined,
      act: (session: Session) => unknown,
      options: CompactOptions = {},
    ) => {
      const release = Promise.withResolvers<void>();
      bench.server.script(async (request) => {
        if (request.isCompaction) await release.promise;
        return summarize(request);
      });
      const asked = bench.server.next((request) => request.isCompaction);
      const opened = Promise.withResolvers<Session>();
      const pending = restore(resume, 'always', options, opened.resolve);
      await asked;
      await act(await opened.promise);
      const restored = await pending;
      bench.server.script(summarize);
      return { ...restored, release: release.resolve };
    };

    test('P1 when needed: it compacts where that is needed alone, sends nothing, and what it says is in effect is in the next request', async () => {
      const resume = await begin();
      const sent = bench.server.requests.length;
      const { session, compaction, prompt } = await restore(resume, 'when-needed');
      const isNeeded = Object.values(declared).includes('at-next-compaction');
      expect([compaction?.status, prompt]).toEqual([isNeeded ? 'completed' : undefined, inEffect]);
      expect((await recordsSoFar(session)).filter(({ type }) => type === 'input_accepted')).toEqual([]);
      expect(bench.server.requests.slice(sent).map(({ isCompaction }) => isCompaction)).toEqual(isNeeded ? [true] : []);
      expect(await carried(session)).toEqual(after);
      expect(await carriedAnew(resume, session)).toEqual(after);
    });

    test('P1 always: completed, and the new texts alone are carried', async () => {
      const { session, compaction, prompt } = await restore(await begin(), 'always');
      expect([compaction?.status, prompt]).toEqual(['completed', inEffect]);
      expect(await carried(session)).toEqual(after);
      await session.dispose();
    });

    test('P1 never, and called off before it was sent: what was waiting waits', async () => {
      const waits = await restore(untouched, 'never');
      expect([waits.compaction, waits.prompt]).toEqual([undefined, waiting]);
      expect(await carried(waits.session)).toEqual(before);
      await waits.session.dispose();
      const { session, compaction, prompt } = await restore(untouched, 'always', { signal: AbortSignal.abort() });
      expect([compaction, prompt]).toMatchObject([{ status: 'rejected', reason: 'aborted' }, waiting]);
      expect(await carried(session)).toEqual(before);
      expect(await carriedAnew(untouched, session)).toEqual(before);
    });

    test('P1 failed: the old text stays', async () => {
      bench.server.script((request) => (request.isCompaction ? { status: 400, message: 'no' } : { text: 'fine' }));
      const { session, compaction, prompt } = await restore(untouched, 'always');
      bench.server.script(summarize);
      expect([compaction?.status, prompt]).toEqual(['failed', waiting]);
      expect(await carried(session)).toEqual(before);
      expect(await carriedAnew(untouched, session)).toEqual(before);
    });

    test('P1 cancelled by the vendor in the middle: the old text stays', async () => {
      const { session, compaction, prompt, release } = await restoreInTheMiddle(untouched, (open) => open.abort());
      release();
      expect([compaction, prompt]).toMatchObject([{ status: setup.cancelled, context: 'unchanged' }, waiting]);
      expect(await carried(session)).toEqual(before);
      expect(await carriedAnew(untouched, session)).toEqual(before);
    });

    test('P1 gone in the middle: unknown, and what is opened anew carries the old text', async () => {
      const { session, compaction, prompt, release } = await restoreInTheMiddle(untouched, (open) => {
        if (setup.isInProcess) return open.dispose();
        return process.kill(open.checkpoint().view.statusState.process?.pid ?? 0, 'SIGKILL');
      });
      release();
      const reason = setup.isInProcess ? 'disposed' : 'process_exit';
      expect([compaction, prompt]).toMatchObject([{ status: 'unconfirmed', reason }, unknown]);
      expect(await carriedAnew(untouched, session)).toEqual(before);
    });

    test('P1 timed out: unknown, and when it completes late the new text is there', async () => {
      const resume = await begin();
      const { session, compaction, prompt, release } = await restoreInTheMiddle(resume, () => undefined, { timeoutMs: 0 });
      expect([compaction, prompt]).toMatchObject([{ status: 'unconfirmed', reason: 'timeout' }, unknown]);
      const late = record(session, 'compaction_ended', (ended) => ended.late === true);
      release();
      await late;
      expect(await carried(session)).toEqual(after);
      expect(await carriedAnew(resume, session)).toEqual(after);
    });

    more({ bench: () => bench, begin, carried, waiting, unknown, inEffect });
  });
}
