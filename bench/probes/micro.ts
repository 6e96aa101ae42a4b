import { readFileSync } from 'node:fs';
import { createRedactor } from '@native-compaction/core';
import { createJsonLineReader } from '@native-compaction/transport';
import { claudeMachine } from '../../packages/claude/src/machine.ts';
import type { Probe } from './probe.ts';

/** The parts alone, in this process, on the lines of the traffic: nanoseconds per frame, the best of nine. */
export const probe: Probe = async () => {
  const bytes = readFileSync(process.env.BENCH_TRAFFIC ?? '');
  const frames: object[] = [];
  createJsonLineReader((frame) => frames.push(frame)).push(bytes);
  const redactor = createRedactor();
  const { state } = claudeMachine.init({ prompt: {}, testedVersions: [] });
  const each = (work: () => void) => best(work) / frames.length;
  return {
    frames: frames.length,
    readNs: each(() => createJsonLineReader(() => undefined).push(bytes)),
    machineNs: each(() => {
      for (const frame of frames) claudeMachine.step(state, { dir: 'in', frame: frame as never, n: 1, atMs: 0 });
    }),
    redactNs: each(() => {
      for (const frame of frames) redactor.value(frame);
    }),
  };
};

function best(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let left = 9; left > 0; left -= 1) {
    const start = performance.now();
    work();
    least = Math.min(least, (performance.now() - start) * 1e6);
  }
  return least;
}
