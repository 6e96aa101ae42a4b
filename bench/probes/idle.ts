import type { Contestant } from '../contestants/contestant.ts';
import { heapBytes, type Probe } from './probe.ts';

/** Sessions that load the code and have it compiled, which is no session's own. */
const WARM = 20;

/** What one idle session holds, with a real child: the heap of `count` of them, after those. */
export const probe: Probe = async ({ vendor, contestant: name, count }) => {
  const { contestant } = (await import(`../contestants/${name}.ts`)) as { contestant: Contestant };
  const contests = [];
  for (let left = WARM; left > 0; left -= 1) contests.push(await contestant.open(vendor));
  const [heap, resident] = [heapBytes(), process.memoryUsage().rss];
  for (let left = count; left > 0; left -= 1) contests.push(await contestant.open(vendor));
  const figures = {
    heapKb: (heapBytes() - heap) / 1024 / count,
    residentKb: (process.memoryUsage().rss - resident) / 1024 / count,
  };
  await Promise.all(contests.map((contest) => contest.close()));
  return figures;
};
