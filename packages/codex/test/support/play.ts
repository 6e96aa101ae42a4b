import type { EntryBody, RecordDraft, Settlement } from '@native-compaction/core';
import type { CodexIn, CodexOut } from '../../src/frames.ts';
import { codexMachine } from '../../src/machine.ts';
import { testedVersions } from '../../src/options.ts';
import { native } from './native.ts';

/** The id of our command. */
export const OURS = 'uuid-ours';

/** Steps the machine with an open thread, its own writes included: frames before our command, and behind it. */
export function play(frames: readonly CodexIn[], before: readonly CodexIn[] = []) {
  let n = 0;
  let { state } = codexMachine.init({ thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions });
  const records: RecordDraft[] = [];
  const settlements: Settlement[] = [];
  const probed: string[] = [];
  const step = (body: EntryBody<CodexIn, CodexOut>) => {
    n += 1;
    const next = codexMachine.step(state, { n, atMs: n, ...body });
    state = next.state;
    records.push(...next.records);
    if (next.settlement) settlements.push(next.settlement);
    for (const { frame, ref } of next.writes ?? []) {
      if (ref.kind === 'probe') probed.push(ref.id);
      step({ dir: 'out', frame, ref });
    }
  };
  for (const frame of [...native.opening(), ...before]) step({ dir: 'in', frame });
  const frame = codexMachine.compact(state, { requestId: 'r', operationId: OURS });
  step({ dir: 'out', frame, ref: { kind: 'compact', id: OURS } });
  for (const frame of frames) step({ dir: 'in', frame });
  const trail = settlements[0]?.evidence ?? codexMachine.trail(state).evidence;
  return { state, records, settlement: settlements[0], probed, kinds: trail.map(({ kind }) => kind) };
}

/** The id of the probe of a turn. */
export const probeOf = (turnId: string) => `native-compaction-probe-${turnId}`;
