import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, record, recordsSoFar, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('claude'))('a long compaction on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  test('T7 the status that Claude repeats every 30 s is progress, not another start; there is no hidden deadline', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    bench.server.script(() => ({ hang: true }));
    const pending = session.compact();
    await record(session, 'compaction_progress', (item) => item.detail === 'heartbeat');
    expect((await recordsSoFar(session)).filter((item) => item.type === 'compaction_started')).toHaveLength(1);
    expect(session.status()).toMatchObject({ state: 'compacting', compaction: { started: true } });
    await session.abort();
    expect(await pending).toMatchObject({ status: 'failed' });
  });
});
