import { readdirSync, readFileSync } from 'node:fs';
import type { RecordDraft, Ref, Settlement } from '@native-compaction/core';
import { type JsonObject, object, text, Unparsed } from '@native-compaction/transport';
import { claudeMachine } from '../../src/machine.ts';
import { testedVersions } from '../../src/options.ts';
import { OPEN_ID } from '../../src/state.ts';

export interface Fixture {
  readonly name: string;
  readonly version: string;
  /** Origin and outcome of every compaction that ended while it was recorded, in order. */
  readonly outcomes: readonly (readonly [string, string])[];
  /** One list of lines per vendor process. */
  readonly processes: readonly (readonly FixtureLine[])[];
}
export interface FixtureLine {
  readonly process: number;
  readonly dir: 'in' | 'out' | 'foreign' | 'late' | 'end';
  readonly frame: JsonObject;
}

const folder = new URL('../fixtures/', import.meta.url);

/** Every recording of the real CLIs, by version and scenario. */
export function fixtures(): Fixture[] {
  return readdirSync(folder).flatMap((version) =>
    readdirSync(new URL(`${version}/`, folder)).map((file) => {
      const [head, ...lines] = readFileSync(new URL(`${version}/${file}`, folder), 'utf8')
        .trim()
        .split('\n')

        .map((line): unknown => JSON.parse(line));
      const { outcomes } = head as Fixture;
      const processes = Map.groupBy(lines as FixtureLine[], (line) => line.process);
      return { name: file.replace('.jsonl', ''), version, outcomes, processes: [...processes.values()] };
    }),
  );
}

/** Steps the pure machine with one process of a recording and gives what it said. */
export function replay(lines: readonly FixtureLine[]): { records: RecordDraft[]; settlements: Settlement[] } {
  let n = 0;
  let { state } = claudeMachine.init({ prompt: {}, testedVersions });
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
        ? claudeMachine.step(state, { ...at, dir, frame: native })
        : dir === 'out'
          ? claudeMachine.step(state, { ...at, dir, frame, ref: refOf(frame) })
          : claudeMachine.step(state, { ...at, dir, why: 'process_exit' });
    state = step.state;
    records.push(...step.records);
    if (step.settlement) settlements.push(step.settlement);
  }
  return { records, settlements };
}

/** On whose behalf a recorded frame was written, read off its shape. */
function refOf(frame: JsonObject): Ref {
  const id = text(frame.request_id) ?? text(frame.uuid) ?? '';
  const request = object(frame.request);
  if (request?.subtype === 'initialize') return { kind: id === OPEN_ID ? 'open' : 'read', id };
  if (request?.subtype === 'interrupt') return { kind: 'cancel', id };
  if (frame.type === 'control_response') return { kind: 'answer', id: text(object(frame.response)?.request_id) ?? '' };
  const content = text(object(frame.message)?.content) ?? '';
  return { kind: /^\/compact(\s|$)/.test(content) ? 'compact' : 'input', id };
}
