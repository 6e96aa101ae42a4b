import { spawn } from 'node:child_process';
import { createClaudeRuntime } from '@native-compaction/claude';
import { cpuUs, type Probe } from './probe.ts';

/** What `open()` costs this process, beside a bare start of the same child. */
export const probe: Probe = async ({ vendor, count }) => {
  const runtime = createClaudeRuntime({ executable: vendor.executable });
  const bare = () =>
    new Promise((resolve) => spawn(vendor.executable, [], { stdio: ['ignore', 'pipe', 'pipe'] }).once('close', resolve));
  await bare();
  await (await runtime.open()).dispose();
  const startBare = process.cpuUsage();
  for (let left = count; left > 0; left -= 1) await bare();
  const bareUs = cpuUs(startBare) / count;
  const startOurs = process.cpuUsage();
  for (let left = count; left > 0; left -= 1) await (await runtime.open()).dispose();
  const oursUs = cpuUs(startOurs) / count;
  return { bareUs, oursUs, ratio: oursUs / bareUs };
};
