import type { RecordDraft, Ref, Settlement } from '@native-compaction/core';
import { type JsonObject, object } from '@native-compaction/transport';
import { beforeEach, describe, expect, test } from 'vitest';
import { compactFrame, turnFrame } from '../src/commands.ts';
import { codexMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import type { CodexState } from '../src/state.ts';
import { native } from './support/native.ts';

const OURS = 'uuid-ours';
const INPUT = 'uuid-input';
let n = 0;
let state: CodexState;
let records: RecordDraft[];
let settlements: Settlement[];
let probes: string[];

function step(entry: { dir: 'in'; frame: JsonObject } | { dir: 'out'; frame: JsonObject; ref: Ref }) {
  n += 1;
  const next = codexMachine.step(state, { n, atMs: n, ...entry });
  state = next.state;
  records.push(...next.records);
  if (next.settlement) settlements.push(next.settlement);
  for (const { frame, ref } of next.writes ?? []) {
    if (ref.kind === 'probe') probes.push(ref.id);
    step({ dir: 'out', frame, ref });
  }
}
const take = (...frames: JsonObject[]) => {
  for (const frame of frames) step({ dir: 'in', frame });
};
const dispatch = () => step({ dir: 'out', frame: compactFrame(OURS, state.threadId), ref: { kind: 'compact', id: OURS } });
const send = () => step({ dir: 'out', frame: turnFrame(INPUT, state.threadId, 'x'), ref: { kind: 'input', id: INPUT } });
const told = (type: RecordDraft['type']) => records.filter((record) => record.type === type);
const proof = [
  native.result(OURS),
  native.turnStarted('T'),
  native.item('item/started', 'T', 'I'),
  native.item('item/completed', 'T', 'I'),
  native.turnCompleted('T', 'completed'),
];

beforeEach(() => {
  n = 0;
  [records, settlements, probes] = [[], [], []];
  state = codexMachine.init({ thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions }).state;
  take(...native.opening());
});

describe('Codex frames that come twice, late or incomplete', () => {
  test('R6 a second answer to our command says nothing, an error neither', () => {
    dispatch();
    take(proof[0] as JsonObject, native.turnStarted('T'), native.error(OURS, 'no'), ...proof.slice(2));
    expect(settlements.map(({ status }) => status)).toEqual(['completed']);
  });

  test('S5 a second answer to an input does not make it undelivered', () => {
    send();
    take(native.result(INPUT, { turn: { id: 'P' } }), native.error(INPUT, 'no'), native.turnCompleted('P', 'completed'));
    expect(told('input_ended')).toEqual([{ type: 'input_ended', inputId: INPUT, outcome: 'completed' }]);
  });

  test('S5 an input that Codex refuses is undelivered, with the words of Codex', () => {
    send();
    take(native.error(INPUT, 'thread not found'));
    expect(told('input_ended')).toEqual([
      { type: 'input_ended', inputId: INPUT, outcome: 'undelivered', message: 'thread not found' },
    ]);
  });

  test('an input whose answer comes behind its turn ends with that turn, and one without an answer by its message', () => {
    send();
    take(native.turnStarted('P'), native.turnCompleted('P', 'failed'), native.result(INPUT, { turn: { id: 'P' } }));
    expect(told('input_ended')).toEqual([{ type: 'input_ended', inputId: INPUT, outcome: 'failed' }]);
    expect(codexMachine.busy(state)).toBeUndefined();
    send();
    const message = native.item('item/started', 'Q', 'M', 'userMessage');
    const item = { ...object(object(message.params)?.item), clientId: INPUT };
    take(
      native.turnStarted('Q'),
      { ...message, params: { ...object(message.params), item } },
      native.turnCompleted('Q', 'completed'),
    );
    expect(told('input_ended').at(-1)).toEqual({ type: 'input_ended', inputId: INPUT, outcome: 'completed' });
    expect(codexMachine.busy(state)).toBeUndefined();
  });

  test.each([
    ['a late start', native.turnStarted('T')],
    ['a late compaction item', native.item('item/started', 'T', 'J')],
    ['a repeated end', native.turnCompleted('T', 'failed')],
  ])('T7 %s of a turn that is over changes nothing', (_what, frame) => {
    dispatch();
    take(...proof);
    const before = records.length;
    take(frame);
    expect(records.slice(before)).toEqual([]);
    expect(codexMachine.busy(state)).toBeUndefined();
  });

  test.each([
    ['an end without a status', { method: 'turn/completed', params: { turn: { id: 'T' } } }],
    ['an end with a word nobody knows', { method: 'turn/completed', params: { turn: { id: 'T', status: 'paused' } } }],
  ])('E3 %s is no evidence', (_what, frame) => {
    dispatch();
    take(...proof.slice(0, 4), { ...frame, params: { threadId: state.threadId, ...frame.params } });
    expect(settlements).toMatchObject([{ status: 'unconfirmed', reason: 'no_evidence' }]);
  });

  test("E3 frames without ids are nobody's", () => {
    dispatch();
    take(native.result(OURS), native.turnStarted(''), native.item('item/started', 'T', ''), native.turnCompleted('', 'failed'));
    expect(settlements).toEqual([]);
    expect(told('raw')).toHaveLength(3);
  });

  test('a probe that answers behind the end tells the turn as the compaction it was', () => {
    take(native.goal('active'), native.goal('paused'));
    dispatch();
    take(...proof);
    expect(told('turn_ended')).toEqual([]);
    take(native.isCompact(probes[0] ?? ''));
    expect(settlements.map(({ status }) => status)).toEqual(['completed']);
    expect(told('turn_ended')).toMatchObject([{ turnId: 'T', kind: 'compaction', outcome: 'completed' }]);
  });

  test.each([
    ['nothing', {}],
    ['null', null],
    ['a goal that is none', { goal: 7 }],
    ['a goal without a status', { goal: {} }],
  ])('G3 a goal reading that says %s lets nothing through', (_what, result) => {
    const admission = codexMachine.admit(state, n);
    const [read] = 'ask' in admission ? admission.ask : [];
    if (!read) throw new Error('The gate asks for the goal.');
    step({ dir: 'out', ...read });
    take({ id: read.ref.id, result });
    expect(codexMachine.admit(state, 0)).toEqual({ reject: 'not_ready' });
  });

  test('T8 the question about a file change shows the changes that its item told of', () => {
    const item = { type: 'fileChange', id: 'F', changes: [{ path: 'a.txt' }] };
    const params = { threadId: state.threadId, turnId: 'T', item };
    take(native.turnStarted('T'), { method: 'item/started', params });
    take({ id: 0, method: 'item/fileChange/requestApproval', params: { threadId: state.threadId, itemId: 'F', reason: null } });
    expect(told('permission_asked')).toMatchObject([{ toolCallId: 'F', input: { changes: [{ path: 'a.txt' }] } }]);
  });

  describe("G3 the vendor's queue", () => {
    const change = () => ({ method: 'thread/queue/changed', params: { threadId: state.threadId } });
    const admitted = (queue: JsonObject, ...before: (() => void)[]) => {
      n = 0;
      state = codexMachine.init({ thread: { cwd: '/', prompt: {} }, experimentalApi: true, testedVersions }).state;
      take(...native.opening());
      for (const part of before) part();
      const since = n + 1;
      const admission = codexMachine.admit(state, since);
      const asked = 'ask' in admission ? admission.ask : [];
      for (const { frame, ref } of asked) step({ dir: 'out', frame, ref });
      const [goal, list] = asked.map(({ ref }) => ref.id);
      take(native.result(goal ?? '', { goal: null }));
      expect(codexMachine.admit(state, since)).toEqual({ wait: true });
      take(native.result(list ?? '', queue));
      return codexMachine.admit(state, since);
    };

    test('is read with the goal, and what is in it refuses', () => {
      expect(admitted({ data: [] })).toEqual({ go: true });
      expect(admitted({ data: [{ id: 'q' }] })).toEqual({ reject: 'queued_input' });
      expect(admitted({})).toEqual({ reject: 'not_ready' });
    });

    test('a start of our own turn that is told behind the change does not take for begun what is queued', () => {
      const ours = () => {
        send();
        take(
          native.result(INPUT, { turn: { id: 'T' } }),
          change(),
          native.turnStarted('T'),
          native.turnCompleted('T', 'completed'),
        );
      };
      const queued = () => take(change(), native.turnStarted('Q'), native.turnCompleted('Q', 'completed'));
      expect(admitted({ data: [] }, ours)).toEqual({ reject: 'queued_input' });
      expect(admitted({ data: [] }, ours, queued)).toEqual({ go: true });
    });
  });
});
