import { createClaudeRuntime } from '@native-compaction/claude';
import { cpuUs, type Probe } from './probe.ts';

/** `count` compactions: was each result there before the event-loop turn ended in which its terminal frame was read? */
export const probe: Probe = async ({ vendor, count }) => {
  let readAt = 0;
  let turn = 0;
  let isWatching = false;
  const tap = ({ frame }: { frame: unknown }) => {
    if ((frame as { type?: string }).type !== 'result') return;
    readAt = turn;
    isWatching = true;
    setImmediate(() => {
      turn += 1;
      isWatching = false;
    });
  };
  const session = await createClaudeRuntime({ executable: vendor.executable, tap }).open();
  let inTurn = 0;
  const before = process.cpuUsage();
  for (let left = count; left > 0; left -= 1) {
    const { status } = await session.compact();
    if (status !== 'completed') throw new Error(`A compaction was ${status}.`);
    if (isWatching && readAt === turn) inTurn += 1;
  }
  const cpuUsEach = cpuUs(before) / count;
  await session.dispose();
  return { share: inTurn / count, cpuUsEach };
};
