import { readdirSync, readFileSync } from 'node:fs';
import type { Machine, RecordDraft, Ref, Settlement } from '@native-compaction/core';
import { type JsonObject, text, Unparsed } from '@native-compaction/transport';

/** One line that passed between the library and a real CLI; `foreign` is what somebody else wrote. */
export interface RecordedLine {
  readonly process: number;
  readonly dir: 'in' | 'out' | 'foreign' | 'late' | 'end';
  readonly frame: JsonObject;
}

export interface Recording {
  readonly name: string;
  readonly version: string;
  /** Origin and outcome of every compaction that ended while it was recorded, in order. */
  readonly outcomes: readonly (readonly [string, string])[];
  /** One list of lines per vendor process. */
  readonly processes: readonly (readonly RecordedLine[])[];
}

/** Every recording below a folder, as `<version>/<name>.jsonl`. */
export function readRecordings(folder: URL): Recording[] {
  return readdirSync(folder).flatMap((version) =>
    readdirSync(new URL(`${version}/`, folder)).map((file) => {
      const content = readFileSync(new URL(`${version}/${file}`, folder), 'utf8').trim();
      const [head, ...lines] = content.split('\n').map((line): unknown => JSON.parse(line));
      const { outcomes } = head as Pick<Recording, 'outcomes'>;
      const processes = Map.groupBy(lines as RecordedLine[], (line) => line.process);
      return { name: file.replace('.jsonl', ''), version, outcomes, processes: [...processes.values()] };
    }),
  );
}

export interface Replayed {
  readonly records: readonly RecordDraft[];
  readonly settlements: readonly Settlement[];
}

/** Steps a pure machine with one process of a recording and gives what it said; `refOf` reads off a frame why it was written. */
export function replayRecording<S, F>(
  machine: Machine<JsonObject | Unparsed, JsonObject, S, F>,
  facts: F,
  lines: readonly RecordedLine[],
  refOf: (frame: JsonObject, state: S) => Ref,
): Replayed {
  let n = 0;
  let { state } = machine.init(facts);
  const records: RecordDraft[] = [];
  const settlements: Settlement[] = [];
  for (const { dir, frame } of lines) {
    if (dir === 'foreign' || dir === 'late') continue;
    n += 1;
    const at = { n, atMs: n };
    const unparsed = text(frame.unparsed);
    const native = unparsed === undefined ? frame : new Unparsed(unparsed as 'noise', text(frame.text) ?? '', 0);
    const step =
      dir === 'in'
        ? machine.step(state, { ...at, dir, frame: native })
        : dir === 'out'
          ? machine.step(state, { ...at, dir, frame, ref: refOf(frame, state) })
          : machine.step(state, { ...at, dir, why: 'process_exit' });
    state = step.state;
    records.push(...step.records);
    if (step.settlement) settlements.push(step.settlement);
  }
  return { records, settlements };
}
