import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Lab, ModelRequest, Reply, Script } from '@native-compaction/conformance';
import {
  type Checkpoint,
  type OpenOptions,
  type Reconciled,
  type Runtime,
  reconcile,
  type Session,
} from '@native-compaction/core';
import { mayBeAlive } from '@native-compaction/transport';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HostPlan, runHost } from './matrix-host.ts';
import { matrixVendors } from './matrix-vendors.ts';
import { definedOnly, say } from './sessions.ts';

/** One cell of the matrix: who ends at which stage, alone or among other compactions. */
interface Cell {
  readonly stage: string;
  readonly who: HostPlan['who'];
  readonly isCrowded: boolean;
}

interface MatrixSetup {
  readonly vendor: string;
  readonly executable: string;
  readonly bench: Lab & { open(options: OpenOptions): Promise<Session> };
  readonly runtime: Pick<Runtime<never>, 'id' | 'manualCompaction' | 'reconcile'>;
}

/** What one cell came to. */
interface Answer extends Cell {
  readonly truth: 'compacted' | 'unchanged';
  readonly found: Reconciled;
}

/** Plays the matrix of a runtime; `usage` is what fills its context, and `open` a bench with the vendor's own compaction on. */
export function describeMatrix(
  title: string,
  vendor: string,
  usage: { readonly inputTokens: number },
  open: (script: Script) => Promise<Omit<MatrixSetup, 'vendor'>>,
): void {
  describe(`R5 reconcile on ${title}`, () => {
    let setup: MatrixSetup;
    const { script, hang } = createMatrixScript(usage);
    const answers: Answer[] = [];
    beforeAll(async () => {
      setup = { vendor, ...(await open(script)) };
    });
    afterAll(async () => {
      report(title, answers);
      await setup.bench.close();
    });

    test.concurrent.each(cellsOf(vendor))('R5 $who ends at $stage, crowded: $isCrowded', async (cell) => {
      const answer = await playCell(setup, hang, cell);
      answers.push(answer);
      expect(answer.found.requestId).toBe('op');
    });
  });
}

/** Every end at every stage, alone and crowded in turn; with REPORT=1 each of them both ways. */
function cellsOf(vendor: string): Cell[] {
  const { stages, whos } = matrixVendors[vendor] ?? { stages: {}, whos: [] };
  return Object.keys(stages).flatMap((stage, row) =>
    whos.flatMap((who, column) => {
      const isOdd = (row + column) % 2 === 1;
      return (process.env.REPORT ? [false, true] : [isOdd]).map((isCrowded) => ({ stage, who, isCrowded }));
    }),
  );
}

/** Answers each cell's requests apart: the name of the cell is in its prompts, and in its summaries. */
function createMatrixScript(usage: { readonly inputTokens: number }) {
  const hanging = new Set<string>();
  const script = (request: ModelRequest): Reply => {
    const text = JSON.stringify(request.messages);
    const name = /CELL-\d+-/.exec(text)?.[0] ?? '';
    const isFull = request.messages.slice(-2).some((message) => message.text.includes(`${name} FILL`));
    if (!request.isCompaction) return { text: `fine ${'word '.repeat(10)}`, ...(isFull ? { usage } : {}) };
    const part = text.includes(' and now ') ? 'later' : text.includes(' READY ') ? 'ours' : 'older';
    if (part === 'ours' && hanging.has(name)) return { hang: true };
    return { text: `<analysis>brief</analysis>\n<summary>\n${name} SUMMARY-${part}.\n</summary>` };
  };
  return {
    script,
    hang: (name: string, isHanging: boolean) => void (isHanging ? hanging.add(name) : hanging.delete(name)),
  };
}

let cells = 0;

/** Plays one cell and looks: right after the end, and again behind later compactions. Never a wrong answer. */
async function playCell(setup: MatrixSetup, hang: (name: string, isHanging: boolean) => void, cell: Cell): Promise<Answer> {
  const { vendor, executable, bench, runtime } = setup;
  cells += 1;
  const name = `CELL-${cells}-`;
  const driver = matrixVendors[vendor];
  if (!driver) throw new Error(`The matrix knows no ${vendor}.`);
  const { unwritten, over, answered } = driver;
  hang(name, !answered.includes(cell.stage));
  const store = `${bench.home}/${name}.json`;
  const plan: HostPlan = { vendor, executable, cwd: bench.project, name, store, ...cell };
  if (cell.who === 'vendor') await runHost({ ...plan, env: bench.env });
  else await runProgram(plan, bench);
  hang(name, false);
  const checkpoint = JSON.parse(readFileSync(store, 'utf8')) as Checkpoint;
  const early = await reconcile(runtime, { checkpoint, requestId: 'op' });
  await untilGone(checkpoint);
  const found = await reconcile(runtime, { checkpoint, requestId: 'op' });

  const told = () => bench.server.requests.filter(({ messages }) => JSON.stringify(messages).includes(name)).length;
  const folder = `${bench.home}/${driver.sessions}`;
  const before = [filesOf(folder, checkpoint), told()];
  expect(await reconcile(runtime, { checkpoint, requestId: 'op' })).toEqual(found);
  expect([filesOf(folder, checkpoint), told()], 'looking changes nothing, and asks no model').toEqual(before);

  const session = await bench.open({ resume: checkpoint.nativeId });
  const requests = bench.server.requests.length;
  const tell = (text: string) => say(session, `${name} ${text} ${'word '.repeat(40)}`);
  await tell('and now');
  const next = bench.server.requests.slice(requests).findLast(({ messages }) => JSON.stringify(messages).includes(name));
  const truth = JSON.stringify(next?.messages).includes('SUMMARY-ours.') ? 'compacted' : 'unchanged';
  if (cell.isCrowded) {
    await session.compact({ requestId: 'later' });
    await tell('FILL');
    await tell('is compacted first');
    expect(await reconcile(runtime, { checkpoint, requestId: 'older' })).toMatchObject({ context: 'compacted' });
    expect(await reconcile(runtime, { checkpoint: session.checkpoint(), requestId: 'later' })).toMatchObject({
      context: 'compacted',
    });
  }
  const late = await reconcile(runtime, { checkpoint, requestId: 'op' });
  await session.dispose();

  for (const answer of [early, found, late]) {
    expect([truth, 'unknown'], JSON.stringify({ cell, answer, truth })).toContain(answer.context);
    if (answer.context !== 'unknown') expect(answer.evidence.length).toBeGreaterThan(0);
  }
  if (unwritten.includes(cell.stage)) expect(found, JSON.stringify(found)).toMatchObject({ context: 'unchanged' });
  if (over.includes(cell.stage)) expect(found, JSON.stringify(found)).toMatchObject({ context: 'compacted' });
  return { ...cell, truth, found };
}

/** Every file of the session's, as it is on disk. */
function filesOf(folder: string, { nativeId = '' }: Checkpoint): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(`${nativeId}.jsonl`));
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]));
}

/** A host as a program of its own, which ends by the cell's doing. */
async function runProgram(plan: HostPlan, lab: Lab): Promise<void> {
  const flags = ['--conditions=@native-compaction/source', '--disable-warning=ExperimentalWarning'];
  const file = fileURLToPath(new URL('matrix-host.ts', import.meta.url));
  // Reading the sources is most of what a host does; the next one finds them read.
  const env = { ...definedOnly(lab.env), PATH: process.env.PATH, NODE_COMPILE_CACHE: `${lab.home}/compile-cache` };
  const host = spawn(process.execPath, [...flags, file, 'matrix-host', JSON.stringify(plan)], { env, stdio: ['ignore', 'inherit', 'inherit'] }); // biome-ignore format: one call
  const [, signal] = (await once(host, 'exit')) as [number | null, string | null];
  expect(signal, `the host of ${JSON.stringify(plan)}`).toBe('SIGKILL');
}

/** The guard of a dead host ends the vendor within a second or two; until then it may write, and nothing more can be said. */
async function untilGone({ view }: Checkpoint): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (!mayBeAlive(view.statusState.process)) return;
    await new Promise((done) => setTimeout(done, 50)); // a process that is nobody's child tells nobody of its end
  }
  throw new Error('The vendor process outlived its host.');
}

/** The share of what could not be said, printed with REPORT=1. */
function report(title: string, answers: readonly Answer[]): void {
  if (!process.env.REPORT) return;
  const count = (fits: (answer: Answer) => boolean) => answers.filter(fits).length;
  const unknown = answers.filter(({ found }) => found.context === 'unknown');
  const figures = `${answers.length} cells, ${count(({ found }) => found.context === 'compacted')} compacted, ${count(({ found }) => found.context === 'unchanged')} unchanged, ${unknown.length} unknown`;
  console.log(`reconcile matrix, ${title}: ${figures}`);
  for (const { stage, who, isCrowded, truth, found } of unknown)
    console.log(
      `  unknown: ${who} at ${stage}${isCrowded ? ', crowded' : ''}: ${'reason' in found ? found.reason : ''}; in truth ${truth}`,
    );
}
