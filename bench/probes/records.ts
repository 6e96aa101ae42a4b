import { createClaudeRuntime } from '@native-compaction/claude';
import { heapBytes, type Probe } from './probe.ts';

/**
 * A session that has had its traffic: the memory it holds, and what a checkpoint and the records after it cost. The traffic is written
 * BENCH_REPEAT times, so that a million records need no file of their own.
 */
export const probe: Probe = async ({ vendor }) => {
  const runtime = createClaudeRuntime({ executable: vendor.executable });
  const session = await runtime.open({ deltas: true });
  const { ended } = session.send('go');
  await ended;
  const heapMb = heapBytes() / 1_048_576;
  const residentMb = process.memoryUsage().rss / 1_048_576;
  const { cursor } = session.checkpoint();
  const resumeUs = await fastest(500, async () => {
    const checkpoint = JSON.parse(JSON.stringify(session.checkpoint()));
    let left = 100;
    for await (const _record of session.records({ log: checkpoint.cursor.log, seq: checkpoint.cursor.seq - 100 }))
      if (--left === 0) break;
  });
  const checkpoint = session.checkpoint();
  await session.dispose();
  const openMs = await fastest(5, async () => (await runtime.open({ checkpoint })).dispose());
  return { records: cursor.seq, heapMb, residentMb, resumeUs, openMs: openMs / 1000 };
};

/** The fastest of `times`, in microseconds: noise only adds. */
async function fastest(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let left = times; left > 0; left -= 1) {
    const start = performance.now();
    await work();
    best = Math.min(best, (performance.now() - start) * 1000);
  }
  return best;
}
