import type { EntryBody, RecordDraft, Settlement } from '@native-compaction/core';
import type { PiIn, PiOut } from '../../src/frames.ts';
import { piMachine } from '../../src/machine.ts';
import { testedVersions } from '../../src/options.ts';

/** What happens: a frame, one that answers Pi's last read, or what we write ourselves. */
export type Happening = PiIn | ((readId: string) => PiIn) | { readonly write: 'compact' | 'input' | 'cancel' };

/** The ids of what we write. */
export const OURS = 'ours';

/** Steps the machine, its own writes included; no loop and no slot are in the way of what is written. */
export function play(happenings: readonly Happening[]) {
  let n = 0;
  let { state } = piMachine.init({ deltas: false, testedVersions });
  const records: RecordDraft[] = [];
  const settlements: Settlement[] = [];
  const step = (body: EntryBody<PiIn, PiOut>) => {
    n += 1;
    const next = piMachine.step(state, { n, atMs: n, ...body });
    state = next.state;
    records.push(...next.records);
    if (next.settlement) settlements.push(next.settlement);
    for (const { frame, ref } of next.writes ?? []) step({ dir: 'out', frame, ref });
  };
  const write = (kind: 'compact' | 'input' | 'cancel') => {
    if (kind === 'compact') return piMachine.compact(state, { requestId: 'r', operationId: OURS });
    return kind === 'input' ? piMachine.input(state, { id: OURS, text: 'x' }) : piMachine.cancel(state, OURS);
  };
  for (const happening of happenings) {
    if (typeof happening === 'function') step({ dir: 'in', frame: happening(state.read?.id ?? '') });
    else if (!isWrite(happening)) step({ dir: 'in', frame: happening });
    else {
      const frame = write(happening.write);
      if (frame) step({ dir: 'out', frame, ref: { kind: happening.write, id: OURS } });
    }
  }
  return { state, records, settlements, types: records.map(({ type }) => type) };
}

function isWrite(happening: Happening): happening is { readonly write: 'compact' | 'input' | 'cancel' } {
  return typeof happening === 'object' && 'write' in happening;
}
