import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createClaudeRuntime } from '@native-compaction/claude';
import type { Probe } from './probe.ts';

/** The declared window of a required reader, in bytes. */
const WINDOW = 1_048_576;

/** A required reader takes `count` records and then sleeps: how much more than they cost has left the vendor? Linux only. */
export const probe: Probe = async ({ vendor, count }) => {
  const session = await createClaudeRuntime({ executable: vendor.executable }).open({ deltas: true });
  const reader = session.records(undefined, { required: true })[Symbol.asyncIterator]();
  session.send('go');
  let consumed = 0;
  for (let left = count; left > 0; left -= 1) {
    const { value } = await reader.next();
    if (value?.type === 'assistant_delta') consumed += 320;
  }
  await wait(1_000);
  const written = children().reduce((sum, pid) => sum + writtenBy(pid), 0);
  const aheadMb = (written - consumed - WINDOW) / 1_048_576;
  void session.dispose();
  return { aheadMb, writtenMb: written / 1_048_576 };
};

function children(): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid)
      );
    } catch {
      return false;
    }
  });
}

function writtenBy(pid: string): number {
  return Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
}
