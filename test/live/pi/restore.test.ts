import type { OpenOptions } from '@native-compaction/core';
import { restoreSession } from '@native-compaction/restore';
import { expect, test } from 'vitest';
import { benches, openPiBench, type PiBench, seed } from '../../support/pi.ts';
import { describeRestore, fresh, type RestoreContext } from '../../support/restore-cases.ts';

/** A model that takes system messages within the conversation gets a changed prompt behind the old one. */
const compat = { supportsMidConvoSystemMessages: true };
const all = ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'] as const;

for (const place of benches()) {
  const common = { seed, cancelled: 'aborted', isInProcess: place.surface === 'sdk' } as const;
  const title = `Pi ${place.version}, ${place.surface}`;
  describeRestore(
    title,
    {
      ...common,
      openBench: (script) => openPiBench(place, script),
      declared: { system: 'at-resume', append: 'at-resume' },
      before: ['NEW-SYSTEM', 'NEW-APPEND'],
    },
    place.surface === 'rpc' ? extensions : undefined,
  );
  describeRestore(
    `${title}, with a model that takes system messages within the conversation`,
    {
      ...common,
      openBench: (script) => openPiBench(place, script, { compat }),
      declared: { system: 'unknown', append: 'unknown' },
      before: all,
      after: all,
    },
    patches,
  );
}

/** A compaction before the next input does not take the old prompt away; one behind it does. */
function patches({ bench, begin, carried }: RestoreContext<PiBench>): void {
  test('P1 the old text leaves with a compaction behind the next input, and is never said to be gone', async () => {
    const { session } = await restoreSession(bench(), { resume: await begin(), prompt: fresh, compact: 'never' });
    expect(await carried(session)).toEqual(all);
    expect((await session.compact()).status).toBe('completed');
    expect(await carried(session)).toEqual(['NEW-SYSTEM', 'NEW-APPEND']);
    expect(session.promptChange).toEqual({ system: 'unknown', append: 'unknown' });
    await session.dispose();
  });
}

function extensions({ bench, begin, carried }: RestoreContext<PiBench>): void {
  test('P1 where an extension among the arguments may put its own prompt in the place, it says unknown', async () => {
    const forced = "export default (pi) => { pi.on('before_agent_start', () => ({ systemPrompt: 'FORCED' })); };";
    const args = ['--extension', bench().write('~/forced.ts', forced)];
    const runtime = { open: (open?: OpenOptions) => bench().open(open, { args }) };
    const options = { resume: await begin(), prompt: fresh, compact: 'when-needed' } as const;
    const { session, prompt } = await restoreSession<OpenOptions>(runtime, options);
    expect(prompt).toEqual({ system: 'unknown', append: 'unknown' });
    expect(await carried(session)).toEqual([]);
    await session.dispose();
  });
}
