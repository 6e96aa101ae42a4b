import type { Contestant } from '../contestants/contestant.ts';
import { cpuUs, type Probe } from './probe.ts';

/** `count` control requests, one after the other; the first tenth warms up. */
export const probe: Probe = async ({ vendor, contestant: name, count }) => {
  const { contestant } = (await import(`../contestants/${name}.ts`)) as { contestant: Contestant };
  const contest = await contestant.open(vendor);
  await contest.hold?.();
  const run = async (times: number) => {
    for (let left = times; left > 0; left -= 1) await contest.roundTrip?.();
  };
  await run(count / 10);
  const startMs = performance.now();
  const before = process.cpuUsage();
  await run(count);
  const figures = { cpuMs: cpuUs(before) / 1000, wallMs: performance.now() - startMs, cpuUsEach: cpuUs(before) / count };
  await contest.close();
  return figures;
};
