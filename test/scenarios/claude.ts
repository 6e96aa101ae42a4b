import { DEFAULT_SUMMARY } from '@native-compaction/conformance';
import type { CompactionResult, Session } from '@native-compaction/core';
import type { Tap } from '@native-compaction/transport';
import { type ClaudeBench, record, say } from '../support/claude.ts';

/** One recorded situation: what it sets up, and the results the library gave. */
export interface Scenario {
  readonly env?: Record<string, string>;
  run(
    bench: ClaudeBench,
    open: (options?: Parameters<ClaudeBench['open']>[0]) => Promise<Session>,
  ): Promise<readonly CompactionResult[]>;
}

const summarize = (request: { isCompaction: boolean }) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' });

/** Situations on the real CLI whose frames are kept as fixtures. */
export const claudeScenarios: Record<string, Scenario> = {
  completed: {
    async run(_bench, open) {
      const session = await open();
      await say(session, 'remember the word heron');
      const first = await session.compact();
      await say(session, 'go on');
      return [first, await session.compact({ instructions: 'Keep the word.\nAnd the order.' })];
    },
  },
  'empty-session': { run: async (_bench, open) => [await (await open()).compact()] },
  'only-a-summary': {
    async run(_bench, open) {
      const session = await open();
      await say(session, 'hello');
      const first = await session.compact();
      await session.dispose();
      return [first, await (await open({ resume: session.nativeId })).compact()];
    },
  },
  'blocked-by-hook': {
    async run(bench, open) {
      bench.write('~/claude/settings.json', {
        hooks: { PreCompact: [{ hooks: [{ type: 'command', command: 'echo not-now >&2; exit 2' }] }] },
      });
      const session = await open();
      await say(session, 'hello');
      return [await session.compact()];
    },
  },
  'provider-400': {
    async run(bench, open) {
      const session = await open();
      await say(session, 'hello');
      bench.server.script(() => ({ status: 400, message: 'the-provider-refuses' }));
      return [await session.compact()];
    },
  },
  'provider-500': {
    env: { CLAUDE_CODE_MAX_RETRIES: '1' },
    async run(bench, open) {
      const session = await open();
      await say(session, 'hello');
      bench.server.script(() => ({ status: 500, message: 'the-provider-breaks' }));
      return [await session.compact()];
    },
  },
  'cancelled-before-start': {
    async run(_bench, open) {
      const session = await open();
      await say(session, 'hello');
      session.on('record', (item) => item.type === 'compaction_dispatched' && void session.abort());
      return [await session.compact()];
    },
  },
  'cancelled-after-start': {
    async run(bench, open) {
      const session = await open();
      await say(session, 'hello');
      bench.server.script(() => ({ hang: true }));
      const asked = bench.server.next((request) => request.isCompaction);
      const pending = session.compact();
      await asked;
      await session.abort();
      const first = await pending;
      bench.server.script(summarize);
      await say(session, 'go on');
      return [first];
    },
  },
  'tool-turn': {
    async run(bench, open) {
      bench.server.script((request) => {
        if (request.isCompaction) return { text: DEFAULT_SUMMARY };
        return request.messages.at(-1)?.text.includes('use a tool')
          ? { tool: 'Bash', input: { command: 'echo hi', description: 'x' } }
          : { text: 'done' };
      });
      const session = await open({ permissions: () => ({ deny: 'not here' }) });
      await say(session, 'use a tool');
      return [await session.compact()];
    },
  },
  'aborted-turn': {
    async run(bench, open) {
      bench.server.script(() => ({ hang: true }));
      const session = await open();
      const asked = bench.server.next();
      const input = session.send('a long one');
      await asked;
      await session.abort();
      await input.ended;
      bench.server.script(summarize);
      return [await session.compact()];
    },
  },
  'timed-out-and-late': {
    async run(bench, open) {
      const session = await open();
      await say(session, 'hello');
      const release = Promise.withResolvers<void>();
      bench.server.script(async (request) => {
        if (request.isCompaction) await release.promise;
        return summarize(request);
      });
      const result = await session.compact({ timeoutMs: 200, requestId: 'slow' });
      release.resolve();
      await record(session, 'compaction_ended');
      return [result];
    },
  },
  'shadowed-by-project-command': {
    async run(bench, open) {
      bench.write('.claude/commands/compact.md', 'Say hello.');
      const session = await open();
      await say(session, 'hello');
      return [await session.compact()];
    },
  },
};

/** A tap that keeps every line of one process after another. */
export function collect(): { readonly tap: Tap; readonly lines: { t: number; pid: number; dir: string; frame: unknown }[] } {
  const lines: { t: number; pid: number; dir: string; frame: unknown }[] = [];
  return { tap: (line) => void lines.push(line), lines };
}
