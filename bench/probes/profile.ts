import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** Runs `work`, and writes a CPU profile of just that where BENCH_PROFILE names a file. */
export async function profiled<T>(work: () => Promise<T>): Promise<T> {
  const path = process.env.BENCH_PROFILE;
  if (!path) return work();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 500 });
  session.post('Profiler.start');
  const result = await work();
  session.post('Profiler.stop', (_error, { profile }) => writeFileSync(path, JSON.stringify(profile)));
  return result;
}
