import type { CompactionResult, InputHandle, Session } from '@native-compaction/core';
import { type Fault, harmfulKinds, harmlessKinds, planFaults } from './faults/plan.ts';
import type { FaultProxy } from './faults/proxy.ts';
import { isAlive, recordOf } from './following.ts';
import type { Subject } from './subject.ts';
import { openTrial, pidOf, type Trial } from './trial.ts';

/** What is done to one compaction of a soak. `plain` and the faults that leave the proof whole must be completed. */
type Disturbance = 'plain' | 'abort' | 'timeout' | 'fault';

/** What became of one session of a soak. */
export interface SoakedSession {
  readonly results: readonly { readonly disturbance: string; readonly status: string }[];
  readonly faults: readonly Fault[];
  /** How every input ended. */
  readonly inputs: readonly string[];
  /** Results that the provider or the vendor's file contradicts, and proofs that were there and were not found. */
  readonly falsehoods: readonly string[];
  readonly hasProcessLeft: boolean;
}

const PATIENCE_MS = 10_000;
/** A frame was lost: nobody knows whether the end still comes. */
const FAULT_PATIENCE_MS = 500;

/** Opens one session, compacts it up to `rounds` times under random trouble, and compares what was said with what happened. */
export async function soakSession(subject: Subject, rounds: number, random: () => number): Promise<SoakedSession> {
  const seed = Math.floor(random() * 2 ** 31);
  const last = planFaults(seed, { kinds: harmfulKinds.filter((kind) => kind !== 'oversize'), rounds: 1, faults: 1, frames: 9 });
  const planned = [...planFaults(seed, { kinds: harmlessKinds, rounds: rounds - 1, faults: 6, frames: 12 }), ...last];
  const trial = await openTrial(subject);
  try {
    const opened = subject.command ? await trial.openProxied(planned) : { session: await trial.openSeeded() };
    return await soak(trial, opened, planned, random);
  } finally {
    await trial.close();
  }
}

async function soak(
  trial: Trial,
  { session, proxy }: { readonly session: Session; readonly proxy?: FaultProxy },
  planned: readonly (readonly Fault[])[],
  random: () => number,
): Promise<SoakedSession> {
  const results: { disturbance: string; status: string }[] = [];
  const inputs: InputHandle[] = [];
  const falsehoods: string[] = [];
  const before = trial.replacements(session);
  let claimed = 0;
  let unknown = 0;
  let last: CompactionResult | undefined;
  const count = ({ context, status }: Pick<CompactionResult, 'context' | 'status'>) => {
    if (context === 'compacted') claimed += 1;
    if (context === 'unknown' || status === 'unconfirmed') unknown += 1;
  };

  for (const [at] of planned.entries()) {
    const disturbance = pick(random, at === planned.length - 1 && trial.subject.command !== undefined);
    if (at > 0) await trial.subject.seed(session);
    const result = await compactUnder(session, disturbance, inputs, Math.floor(random() * 30));
    if (disturbance !== 'fault') results.push({ disturbance, status: result.status });
    if (disturbance === 'timeout' && result.status === 'unconfirmed') {
      const late = await recordOf(session, 'compaction_ended', ({ requestId }) => requestId === result.requestId);
      if (late.outcome === 'completed') claimed += 1;
      else falsehoods.push(`${late.outcome} behind the deadline, and the proof was there`);
    } else count(result);
    if (disturbance === 'plain' && result.status !== 'completed') falsehoods.push(`${result.status}, and the proof was there`);
    if (disturbance === 'abort' && result.status === 'unconfirmed') falsehoods.push('an abort without an end');
    if (disturbance === 'fault') {
      last = result;
      break;
    }
    await Promise.all(inputs.map((input) => input.ended));
  }
  const pid = pidOf(trial.lines);
  await session.dispose();
  const replaced = trial.replacements(session) - before;
  if (replaced < claimed || replaced > claimed + unknown)
    falsehoods.push(`${claimed} claimed and ${unknown} not known, and ${replaced} replaced on disk`);
  const faults = (await proxy?.injected()) ?? [];
  if (last) {
    const kind = faults.find((fault) => isHarmful(fault))?.kind ?? 'no fault';
    results.push({ disturbance: kind, status: last.status });
    const isProven = kind === 'no fault' || kind === 'duplicate';
    if (isProven && last.status === 'unconfirmed' && last.reason !== 'timeout')
      falsehoods.push(`${last.reason} under ${kind}, and the proof was there`);
  }
  return {
    results,
    faults,
    inputs: await Promise.all(inputs.map((input) => input.ended)),
    falsehoods,
    hasProcessLeft: trial.subject.command !== undefined && isAlive(pid),
  };
}

function isHarmful({ kind }: Fault): boolean {
  return harmfulKinds.some((harmful) => harmful === kind);
}

function pick(random: () => number, isLast: boolean): Disturbance {
  if (isLast) return 'fault';
  const drawn = random();
  return drawn < 0.7 ? 'plain' : drawn < 0.85 ? 'abort' : 'timeout';
}

async function compactUnder(
  session: Session,
  disturbance: Disturbance,
  inputs: InputHandle[],
  delayMs: number,
): Promise<CompactionResult> {
  const requestId = crypto.randomUUID();
  const timeoutMs = disturbance === 'timeout' ? 1 : disturbance === 'fault' ? FAULT_PATIENCE_MS : PATIENCE_MS;
  const isDispatched =
    disturbance === 'abort' && recordOf(session, 'compaction_dispatched', (item) => item.requestId === requestId);
  const pending = session.compact({ timeoutMs, requestId });
  inputs.push(session.send('held behind it'));
  if (disturbance !== 'abort') return pending;
  await isDispatched;
  await new Promise((done) => setTimeout(done, delayMs));
  await session.abort();
  return pending;
}
