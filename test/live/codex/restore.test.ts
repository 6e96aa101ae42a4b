import type { OpenOptions } from '@native-compaction/core';
import { restoreSession } from '@native-compaction/restore';
import { expect, test } from 'vitest';
import { openCodexBench } from '../../support/codex.ts';
import { describeRestore, fresh } from '../../support/restore-cases.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('codex')) {
  describeRestore(
    `Codex ${version}`,
    {
      openBench: (script) => openCodexBench(version, script),
      seed: (session) => say(session, 'hello'),
      declared: { system: 'at-resume', append: 'at-next-compaction' },
      before: ['OLD-APPEND', 'NEW-SYSTEM'],
      cancelled: 'aborted',
    },
    ({ bench, begin, carried, waiting }) => {
      test('P1 not needed where only the base instructions are given, which change with the resume', async () => {
        const options = { resume: await begin(), prompt: { system: fresh.system }, compact: 'when-needed' } as const;
        const { session, compaction, prompt } = await restoreSession<OpenOptions>(bench(), options);
        expect([compaction, prompt]).toEqual([undefined, waiting]);
        expect(await carried(session)).toEqual(['OLD-APPEND', 'NEW-SYSTEM']);
        await session.dispose();
      });

      test('P1 base instructions that are left out are not taken away: those of the beginning come back, and system is unknown', async () => {
        const options = { resume: await begin(), prompt: { append: fresh.append }, compact: 'always' } as const;
        const { session, compaction, prompt } = await restoreSession<OpenOptions>(bench(), options);
        expect([compaction?.status, prompt]).toEqual(['completed', { system: 'unknown', append: 'in-effect' }]);
        expect(await carried(session)).toEqual(['OLD-SYSTEM', 'NEW-APPEND']);
        await session.dispose();
      });

      test('P1 where configuration of the host, however deep, touches the prompt it says unknown, also of one that completed', async () => {
        const config = { profiles: { other: { developer_instructions: 'X' } } };
        const runtime = { open: (open?: OpenOptions) => bench().open(open, { config }) };
        const options = { resume: await begin(), prompt: fresh, compact: 'always' } as const;
        const { session, compaction, prompt } = await restoreSession<OpenOptions>(runtime, options);
        expect([compaction?.status, prompt]).toEqual(['completed', { system: 'unknown', append: 'unknown' }]);
        await session.dispose();
      });
    },
  );
}
