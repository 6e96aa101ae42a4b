import type { EntryBody, Machine, RecordDraft, Write } from '@native-compaction/core';

/** Steps a machine with entries, and not with what it writes; what each step recorded, wrote and answered. */
export function stepMachine<In extends object, Out, S, F>(
  machine: Machine<In, Out, S, F>,
  facts: F,
  entries: readonly (In | EntryBody<In, Out>)[],
) {
  let n = 0;
  let { state } = machine.init(facts);
  const records: RecordDraft[] = [];
  const answered: string[] = [];
  const writes: Write<Out>[] = [];
  for (const entry of entries) {
    n += 1;
    const body = ('dir' in entry ? entry : { dir: 'in', frame: entry }) as EntryBody<In, Out>;
    const next = machine.step(state, { n, atMs: n, ...body });
    state = next.state;
    records.push(...next.records);
    answered.push(...(next.answered ?? []));
    writes.push(...(next.writes ?? []));
  }
  return { state, records, answered, writes, busy: machine.busy(state), cancel: machine.cancel(state, 'c') };
}
