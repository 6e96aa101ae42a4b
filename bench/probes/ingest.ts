import type { Contestant } from '../contestants/contestant.ts';
import { cpuUs, type Probe } from './probe.ts';
import { profiled } from './profile.ts';

/** From the line that asks for the traffic to its last frame; start-up is not counted. */
export const probe: Probe = async ({ vendor, contestant: name }) => {
  const { contestant } = (await import(`../contestants/${name}.ts`)) as { contestant: Contestant };
  const contest = await contestant.open(vendor);
  const startMs = performance.now();
  const before = process.cpuUsage();
  const frames = await profiled(() => contest.flood());
  const figures = { cpuMs: cpuUs(before) / 1000, wallMs: performance.now() - startMs, frames };
  await contest.close();
  return { ...figures, peakMb: process.resourceUsage().maxRSS / 1024 };
};
