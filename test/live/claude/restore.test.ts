import type { ClaudeRuntimeOptions } from '@native-compaction/claude';
import type { OpenOptions } from '@native-compaction/core';
import { type RestoreOptions, restoreSession } from '@native-compaction/restore';
import { expect, test } from 'vitest';
import { openClaudeBench } from '../../support/claude.ts';
import { describeRestore, fresh } from '../../support/restore-cases.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('claude')) {
  describeRestore(
    `Claude Code ${version}`,
    {
      openBench: (script) => openClaudeBench(version, script),
      async seed(session) {
        await say(session, 'hello');
        await say(session, 'and more');
      },
      declared: { system: 'at-next-compaction', append: 'at-next-compaction' },
      before: ['OLD-SYSTEM', 'OLD-APPEND'],
      cancelled: 'failed',
    },
    ({ bench, begin, carried, waiting }) => {
      const unknown = { system: 'unknown', append: 'unknown' };
      const restore = (resume: string | undefined, options: RestoreOptions, runtime: ClaudeRuntimeOptions = {}) =>
        restoreSession<OpenOptions>({ open: (open) => bench().open(open, runtime) }, { resume, prompt: fresh, ...options });

      test('P1 cancelled before the start, and blocked by a hook: the old text stays', async () => {
        const resume = await begin();
        const early = await restoreSession<OpenOptions>(
          {
            async open(open) {
              const session = await bench().open(open);
              session.on('record', ({ type }) => void (type === 'compaction_dispatched' && session.abort()));
              return session;
            },
          },
          { resume, prompt: fresh, compact: 'always' },
        );
        expect([early.compaction, early.prompt]).toMatchObject([{ status: 'aborted', context: 'unchanged' }, waiting]);
        await early.session.dispose();
        const hooks = { PreCompact: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] };
        bench().write('~/claude/settings.json', { hooks });
        const blocked = await restore(resume, { compact: 'always' });
        bench().write('~/claude/settings.json', {});
        expect([blocked.compaction, blocked.prompt]).toMatchObject([{ hint: 'blocked_by_hook' }, waiting]);
        expect(await carried(blocked.session)).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
        await blocked.session.dispose();
        const anew = await restore(resume, { compact: 'never' });
        expect(await carried(anew.session)).toEqual(['OLD-SYSTEM', 'OLD-APPEND']);
        await anew.session.dispose();
      });

      test.each<[string, ClaudeRuntimeOptions]>([
        ['arguments', { args: ['--system-prompt-snapshot=off'] }],
        ['a variable', { env: { CLAUDE_CODE_HOST_PROMPT_SUPERSEDES_RECORD: '1' } }],
        ['a variable that makes it bare', { env: { CLAUDE_CODE_SIMPLE: '1' } }],
      ])('P1 where %s of the host touch the prompt it says unknown, also of one that completed', async (_what, runtime) => {
        const resume = await begin();
        const unasked = await restore(resume, { compact: 'when-needed' }, runtime);
        expect([unasked.compaction, unasked.prompt]).toEqual([undefined, unknown]);
        expect(await carried(unasked.session)).toEqual(['NEW-SYSTEM', 'NEW-APPEND']);
        await unasked.session.dispose();
        const asked = await restore(resume, { compact: 'always' }, runtime);
        expect([asked.compaction?.status, asked.prompt]).toEqual(['completed', unknown]);
        await asked.session.dispose();
      });

      test('P1 without a prompt of one’s own nothing is needed', async () => {
        const { session, compaction } = await restoreSession<OpenOptions>(bench(), {
          resume: await begin(),
          compact: 'when-needed',
        });
        expect(compaction).toBeUndefined();
        await session.dispose();
      });

      test('R1 misuse is a coded error, and starts no process', async () => {
        const resume = await begin();
        const lines: unknown[] = [];
        const count = { tap: (line: unknown) => void lines.push(line) };
        const invalid = { code: 'invalid_options' };
        await expect(restore(resume, { compact: 'sometimes' as never }, count)).rejects.toMatchObject(invalid);
        await expect(restore(undefined, { compact: 'never' }, count)).rejects.toMatchObject(invalid);
        await expect(restore(resume, { compact: 'always', timeoutMs: -1 }, count)).rejects.toMatchObject(invalid);
        await expect(restore(resume, { compact: 'never', timeoutMs: -1 }, count)).rejects.toMatchObject(invalid);
        await expect(restoreSession(undefined as never, { resume, compact: 'never' })).rejects.toMatchObject(invalid);
        expect(lines).toEqual([]);
      });
    },
  );
}
