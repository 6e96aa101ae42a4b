import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gates, judge, NOISE, toJsonLine } from './gates.ts';
import { measure } from './measure.ts';
import { plans } from './plan.ts';
import { toReport } from './report.ts';
import { buildVendor } from './vendor/build.ts';

const flags = new Set(process.argv.slice(2));
const plan = plans[flags.has('--quick') ? 'quick' : flags.has('--long') ? 'long' : 'full'];
const folder = join(tmpdir(), `native-compaction-bench-${process.getuid?.() ?? 'user'}`);
mkdirSync(folder, { recursive: true, mode: 0o700 });
const vendor = buildVendor(folder);
const results = await measure(plan, folder, vendor, (line) => console.error(line));
const slack = flags.has('--check') ? NOISE : 0;
const judged = gates.map((gate) => judge(gate, results.values.get(gate.name), slack));
console.log(toReport(results, judged));
console.log(
  `\nNode ${process.version}, ${process.platform} ${process.arch}, ${plan.rounds} rounds, fake vendor: ${vendor.kind}.`,
);
if (flags.has('--json')) console.log(toJsonLine(judged));
if (flags.has('--check') && judged.some(({ ok }) => !ok)) process.exitCode = 1;
