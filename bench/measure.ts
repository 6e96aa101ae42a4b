import { existsSync } from 'node:fs';
import type { Plan } from './plan.ts';
import type { Figures } from './probes/probe.ts';
import { pairedRatios, type Spread, spread } from './ratios.ts';
import { type Run, runProbe, runRounds } from './rounds.ts';
import { type Framing, type Shape, writeTraffic } from './traffic.ts';
import type { Vendor } from './vendor/build.ts';

/** One contestant on one traffic. `versus` names how many times less processor time than the base of its framing it took. */
interface Row {
  readonly shape: Shape;
  readonly contestant: string;
  readonly versusLimit: Spread | undefined;
  /** How many times less processor time ours took than this one. */
  readonly ours: Spread | undefined;
  readonly wallMs: number;
  readonly peakMb: number;
}
export interface Results {
  readonly rows: readonly Row[];
  readonly values: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

const contestants: readonly (readonly [string, Framing, string?])[] = [
  ['limit', 'lines'],
  ['readline', 'lines'],
  ['split2', 'lines', 'split2'],
  ['execa', 'lines', 'execa'],
  ['claude-agent-sdk', 'lines', '@anthropic-ai/claude-agent-sdk'],
  ['codex-sdk', 'lines', '@openai/codex-sdk'],
  ['pi-rpc-client', 'lines', '@earendil-works/pi-coding-agent'],
  ['ours', 'lines'],
  ['ours-iterated', 'lines'],
  ['limit-rpc', 'rpc'],
  ['acp-sdk', 'rpc', '@agentclientprotocol/sdk'],
  ['vscode-jsonrpc', 'headers', 'vscode-jsonrpc'],
];
const cpu = (list: readonly Figures[] | undefined) => list?.map(({ cpuMs = Number.NaN }) => cpuMs);
const median = (list: readonly Figures[], name: string) => spread(list.map((figures) => figures[name] ?? Number.NaN)).median;

/** Runs everything of the plan; what cannot run is told by name and leaves its gates unmeasured. */
export async function measure(plan: Plan, folder: string, vendor: Vendor, say: (line: string) => void): Promise<Results> {
  const rows: Row[] = [];
  const values = new Map<string, number>();
  const notes: string[] = [];
  const failures: string[] = [];
  const missing = contestants.filter(([, , peer]) => peer && !existsSync(new URL(`./node_modules/${peer}`, import.meta.url)));
  for (const [name, , peer] of missing)
    failures.push(`${name}: ${peer} is not installed; run npm ci --ignore-scripts in bench/.`);
  const present = contestants.filter((contestant) => !missing.includes(contestant));
  const setup = (contestant: string, count = 0): Run['setup'] => ({ vendor, contestant, count });
  const deltas = (frames: number) => writeTraffic(folder, 'delta', 'lines', frames).path;

  for (const shape of ['delta', 'mixed', 'huge'] as const) {
    say(`${shape} …`);
    const given = (framing: Framing) => writeTraffic(folder, shape, framing, plan.frames[shape]);
    const chosen = present.filter(([, framing]) => shape !== 'huge' || framing === 'lines');
    const runs = chosen.map(([name, framing]) => ({
      probe: 'ingest',
      setup: setup(name),
      env: { BENCH_TRAFFIC: given(framing).path },
    }));
    const { figures, failures: failed } = await runRounds(runs, plan.rounds);
    for (const message of failed.values()) failures.push(`${shape}: ${message}`);
    const ours = cpu(figures.get('ours'));
    for (const [name, framing] of chosen) {
      const list = figures.get(name);
      if (!list) continue;
      checkSeen(name, list, given(framing), (message) => failures.push(`${shape}: ${message}`));
      const own = cpu(list) ?? [];
      const base = cpu(figures.get(framing === 'lines' ? 'limit' : 'limit-rpc'));
      const versusLimit = base && spread(pairedRatios(base, own));
      const against = framing === 'lines' && ours ? spread(pairedRatios(own, ours)) : undefined;
      rows.push({
        shape,
        contestant: name,
        versusLimit,
        ours: against,
        wallMs: median(list, 'wallMs'),
        peakMb: median(list, 'peakMb'),
      });
      if (against) values.set(`${shape} ours vs ${name}`, against.median);
    }
  }

  const one = async (what: string, work: () => Promise<void>) => {
    say(`${what} …`);
    try {
      await work();
    } catch (error) {
      failures.push(`${what}: ${error instanceof Error ? error.message : error}`);
    }
  };
  await one('a fresh process', async () => {
    for (const shape of ['delta', 'mixed'] as const) {
      const env = { BENCH_TRAFFIC: writeTraffic(folder, shape, 'lines', plan.cold[shape]).path };
      const runs = ['limit', 'ours'].map((name) => ({ probe: 'ingest', setup: setup(name), env }));
      const { figures } = await runRounds(runs, plan.rounds);
      const ratio = spread(pairedRatios(cpu(figures.get('limit')) ?? [], cpu(figures.get('ours')) ?? []));
      notes.push(`the first ${plan.cold[shape]} frames of a process, ${shape}: ours ${show(ratio)} × limit`);
    }
  });
  await one('round trip', async () => {
    const names = ['limit', 'claude-agent-sdk', 'pi-rpc-client', 'acp-sdk', 'ours'].filter((name) =>
      present.some(([own]) => own === name),
    );
    const runs = names.map((name) => ({ probe: 'round-trip', setup: setup(name, plan.trips) }));
    const { figures, failures: failed } = await runRounds(runs, plan.rounds);
    failures.push(...failed.values());
    for (const [name, list] of figures) {
      const ratio = spread(pairedRatios(cpu(list) ?? [], cpu(figures.get('limit')) ?? []));
      notes.push(`control round trip, ${name}: ${median(list, 'cpuUsEach').toFixed(0)} µs CPU, ${show(ratio)} × raw`);
      if (name === 'ours') values.set('control round trip vs raw', ratio.median);
    }
  });
  await one('compact()', async () => {
    const { share = 0, cpuUsEach = 0 } = await runProbe({ probe: 'settle', setup: setup('ours', plan.compactions) });
    values.set("compact() settles in the terminal frame's turn", share);
    notes.push(`compact(), gate read to result: ${cpuUsEach.toFixed(0)} µs CPU`);
  });
  await one('open()', async () => {
    const { oursUs = 0, ratio = 0 } = await runProbe({ probe: 'open', setup: setup('ours', 20) });
    notes.push(
      `open() and dispose(): ${(oursUs / 1000).toFixed(1)} ms CPU, ${ratio.toFixed(2)} × a bare start of the same child`,
    );
  });
  await one('records', async () => {
    const run = (frames: number, repeat: number) =>
      runProbe({
        probe: 'records',
        setup: setup('ours'),
        env: { BENCH_TRAFFIC: deltas(frames), BENCH_REPEAT: String(repeat) },
        timeoutMs: 1_800_000,
      });
    const small = await run(10_000, 1);
    const few = await run(plan.frames.delta, plan.repeats.few);
    const many = await run(plan.frames.delta, plan.repeats.many);
    values.set('resident memory, ten times the records', (many.residentMb ?? 0) / (few.residentMb ?? 1));
    values.set('resume at 1 M records vs 10 k', (many.resumeUs ?? 0) / (small.resumeUs ?? 1));
    for (const { records = 0, heapMb = 0, residentMb = 0, resumeUs = 0, openMs = 0 } of [small, few, many])
      notes.push(
        `after ${records} records: heap ${heapMb.toFixed(1)} MB, resident ${residentMb.toFixed(0)} MB; checkpoint and 100 records ${resumeUs.toFixed(0)} µs; open({ checkpoint }) ${openMs.toFixed(1)} ms`,
      );
  });
  await one('slow consumer', async () => {
    if (process.platform !== 'linux') return void failures.push('slow consumer: needs /proc.');
    const { aheadMb = 0 } = await runProbe({
      probe: 'read-ahead',
      setup: setup('ours', 2_000),
      env: { BENCH_TRAFFIC: deltas(plan.frames.delta) },
    });
    values.set('slow required consumer, read ahead of the window', Math.max(0, aheadMb));
  });
  await one(`${plan.sessions} sessions`, async () => {
    const env = { BENCH_TRAFFIC: deltas(1_000) };
    const timeoutMs = 600_000;
    const [limit, ours] = [
      await runProbe({ probe: 'flood', setup: setup('limit-alone', plan.sessions), env, timeoutMs }),
      await runProbe({ probe: 'flood', setup: setup('ours', plan.sessions), env, timeoutMs }),
    ];
    values.set('event-loop delay p99, flooding sessions vs limit', (ours.p99Ms ?? 0) / (limit.p99Ms ?? 1));
    for (const [name, { p50Ms = 0, p99Ms = 0, cpuUsEach = 0, peakMb = 0 }] of [
      ['limit', limit],
      ['ours', ours],
    ] as const)
      notes.push(
        `${plan.sessions} flooding sessions, ${name}: loop delay p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms; ${cpuUsEach.toFixed(1)} µs CPU a frame; peak ${peakMb.toFixed(0)} MB`,
      );
  });
  await one('idle sessions', async () => {
    const run = (name: string) => runProbe({ probe: 'idle', setup: setup(name, plan.idle), timeoutMs: 600_000 });
    const ours = await run('ours');
    notes.push(
      `an idle session of ours: heap ${(ours.heapKb ?? 0).toFixed(1)} KB, resident ${(ours.residentKb ?? 0).toFixed(0)} KB`,
    );
    const peer = await run('claude-agent-sdk');
    notes.push(
      `an idle claude-agent-sdk query: heap ${(peer.heapKb ?? 0).toFixed(1)} KB, resident ${(peer.residentKb ?? 0).toFixed(0)} KB`,
    );
    values.set('heap per idle session vs claude-agent-sdk', (ours.heapKb ?? 0) / (peer.heapKb ?? 1));
  });
  await one('parts', async () => {
    for (const shape of ['delta', 'mixed'] as const) {
      const env = { BENCH_TRAFFIC: writeTraffic(folder, shape, 'lines', shape === 'delta' ? 10_000 : 3_000).path };
      const { readNs = 0, machineNs = 0, redactNs = 0 } = await runProbe({ probe: 'micro', setup: setup('ours'), env });
      notes.push(
        `${shape}, a frame: read and parse ${readNs.toFixed(0)} ns, machine ${machineNs.toFixed(0)} ns, redact all of it ${redactNs.toFixed(0)} ns`,
      );
    }
  });
  return { rows, values, notes, failures };
}

/** Every frame was seen: nobody is fast by losing some. Ours may add the held end of the last delta. */
function checkSeen(
  name: string,
  list: readonly Figures[],
  traffic: { frames: number; shown: number },
  fail: (message: string) => void,
): void {
  const isOurs = name.startsWith('ours');
  const least = isOurs ? traffic.shown : traffic.frames;
  const seen = list.map(({ frames = 0 }) => frames);
  if (seen.some((frames) => frames < least || frames > least + (isOurs ? 1 : 0)))
    fail(`${name} saw ${seen.join(', ')} frames of ${least}.`);
}

function show({ min, median: middle, max }: Spread): string {
  return `${min.toFixed(2)} / ${middle.toFixed(2)} / ${max.toFixed(2)}`;
}
