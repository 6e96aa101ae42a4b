import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Contestant } from '../contestants/contestant.ts';
import { cpuUs, type Probe } from './probe.ts';

/** `count` sessions in this process, all of them flooding at once: how long does the event loop keep others waiting? */
export const probe: Probe = async ({ vendor, contestant: name, count }) => {
  const { contestant } = (await import(`../contestants/${name}.ts`)) as { contestant: Contestant };
  const contests = [];
  for (let left = count; left > 0; left -= 1) contests.push(await contestant.open(vendor));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startMs = performance.now();
  const before = process.cpuUsage();
  const frames = (await Promise.all(contests.map((contest) => contest.flood()))).reduce((sum, seen) => sum + seen, 0);
  const cpuMs = cpuUs(before) / 1000;
  const wallMs = performance.now() - startMs;
  delay.disable();
  const figures = {
    p50Ms: delay.percentile(50) / 1e6,
    p99Ms: delay.percentile(99) / 1e6,
    cpuUsEach: (cpuMs * 1000) / frames,
    wallMs,
  };
  await Promise.all(contests.map((contest) => contest.close()));
  return { ...figures, frames, peakMb: process.resourceUsage().maxRSS / 1024 };
};
