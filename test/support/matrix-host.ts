import { renameSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { Session } from '@native-compaction/core';
import { BEHIND, matrixVendors } from './matrix-vendors.ts';

/** What a host of the matrix does: some work, one compaction, and an end at one stage of it. */
export interface HostPlan {
  readonly vendor: string;
  readonly executable: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Stands in every prompt, so that the model knows whose request it answers. */
  readonly name: string;
  readonly stage: string;
  readonly who: 'vendor' | 'host' | 'both' | 'nobody';
  /** With an older compaction by hand and an automatic one before it. */
  readonly isCrowded: boolean;
  /** Where the checkpoint is kept. */
  readonly store: string;
}

/** Runs a host; it keeps its checkpoint after every record, before any byte that the record is about has left. */
export async function runHost(plan: HostPlan): Promise<void> {
  const { stages, commandId, open } = matrixVendors[plan.vendor] ?? fail(plan.vendor);
  let isArmed = false;
  let id: unknown;
  const end = (pid: number) => {
    isArmed = false;
    if (plan.who === 'vendor' || plan.who === 'both') process.kill(-pid, 'SIGKILL');
    if (plan.who === 'host' || plan.who === 'both') process.kill(process.pid, 'SIGKILL');
  };
  const session: Session = await open(plan, (dir, frame, pid) => {
    const native = frame as Record<string, unknown>;
    if (dir === 'out') id = commandId(native) ?? id;
    if (isArmed && stages[plan.stage]?.(dir, native, id)) end(pid);
  });
  flushCompileCache(); // for the next host: this one may not come to its end
  let automatic = 0;
  const save = () => {
    writeFileSync(`${plan.store}.new`, JSON.stringify(session.checkpoint()), { mode: 0o600 });
    renameSync(`${plan.store}.new`, plan.store);
  };
  session.on('record', (record) => {
    save();
    if (record.type !== 'compaction_ended') return;
    if (record.origin === 'automatic' && record.outcome === 'completed') automatic += 1;
    if (isArmed && plan.stage === BEHIND) end(session.checkpoint().view.statusState.process?.pid ?? 0);
  });
  const tell = async (text: string) => {
    const outcome = await session.send(`${plan.name} ${text} ${'word '.repeat(40)}`).ended;
    if (outcome !== 'completed') throw new Error(`The prompt ended ${outcome}.`);
  };
  if (plan.isCrowded) {
    await tell('SEED');
    await tell('more');
    await session.compact({ requestId: 'older' });
    await tell('FILL');
    await tell('is compacted first');
    if (automatic === 0) throw new Error('No automatic compaction came before ours.');
  }
  await tell('READY');
  await tell('last');
  isArmed = true;
  await session.compact({ requestId: 'op' });
  await session.dispose();
  save();
}

function fail(vendor: string): never {
  throw new Error(`The matrix knows no ${vendor}.`);
}

if (process.argv[2] === 'matrix-host') {
  delete process.env.NODE_COMPILE_CACHE; // it is the host's own, not the vendor's
  await runHost(JSON.parse(process.argv[3] ?? '') as HostPlan);
}
