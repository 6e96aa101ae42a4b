import type { EntryBody, Ref } from '@native-compaction/core';
import { type JsonObject, Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { stepMachine } from '../../../test/support/step-machine.ts';
import type { PiIn, PiOut } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { OPEN_ID, type PiFacts } from '../src/state.ts';
import { native } from './support/native.ts';

type Body = EntryBody<PiIn, PiOut>;
const [opened] = native.opening() as [JsonObject];
const SESSION = (opened.data as JsonObject).sessionId;
const { answer, failure, start, completed, result, user } = native;
const runStarted = { type: 'agent_start' };
const over = [
  { type: 'agent_end', messages: [], willRetry: false },
  { type: 'agent_settled', aborted: false },
];
const begun = answer('in', 'prompt', { disposition: 'started' });
const wrote = (kind: Ref['kind'], id: string, frame: JsonObject = {}): Body => ({ dir: 'out', frame, ref: { kind, id } });
const ask: Body = { dir: 'host', ask: 'compact', requestId: 'r', operationId: 'op' };
const input = wrote('input', 'in', { message: 'x' });
const compact = wrote('compact', 'op');

const step = (entries: readonly (JsonObject | Unparsed | Body)[], facts: Partial<PiFacts> = {}) =>
  stepMachine(piMachine, { deltas: false, testedVersions, ...facts }, entries);
/** Behind the opening. */
const play = (...entries: (JsonObject | Unparsed | Body)[]) => {
  const played = step([opened, ...entries]);
  return { ...played, records: played.records.slice(2) };
};

describe('T7 the opening', () => {
  test('asks for the state, and says which session and version it is', () => {
    const { writes } = piMachine.init({ deltas: false, testedVersions });
    expect(writes).toEqual([{ frame: { id: OPEN_ID, type: 'get_state' }, ref: { kind: 'open', id: OPEN_ID } }]);
    const { records, answered } = step([opened], { version: '1.6.0' });
    expect(records).toEqual([{ type: 'session_opened', nativeId: SESSION, vendorVersion: '1.6.0' }, { type: 'idle' }]);
    expect(answered).toEqual([OPEN_ID]);
    expect(step([opened, opened]).records).toHaveLength(2);
    expect(step([opened, opened]).answered).toEqual([OPEN_ID, OPEN_ID]);
  });

  test.each<[string, JsonObject, Partial<PiFacts>, string]>([
    ['an error', failure(OPEN_ID, 'get_state', 'the words of Pi'), {}, 'the words of Pi'],
    ['no state', answer(OPEN_ID, 'get_state', {}), {}, 'Pi gave no state'],
    ['another session', opened, { resume: 'mine' }, `Pi opened session ${SESSION}, not mine`],
  ])('%s refuses the session', (_what, frame, facts, message) => {
    const { records, busy, answered } = step([frame], facts);
    expect(records).toEqual([{ type: 'session_refused', message }]);
    expect([busy, answered]).toEqual(['not_ready', [OPEN_ID]]);
  });

  test('what runs already is told of and in the way', () => {
    const at = (data: JsonObject) => step([native.state(OPEN_ID, data)]);
    expect(at({ isStreaming: true })).toMatchObject({ busy: 'busy_turn', records: [{}, { type: 'turn_started' }] });
    const compacting = at({ isCompacting: true });
    expect(compacting.busy).toBe('busy_compaction');
    expect(compacting.records.slice(1)).toEqual([{ type: 'compaction_started', origin: 'foreign' }]);
    expect(step([opened], { resume: String(SESSION) }).busy).toBeUndefined();
  });
});

describe('T7 what is recorded', () => {
  test('of a compaction of ours, with what was compacted last before it', () => {
    const first = play(ask, compact, start(), completed(), answer('op', 'compact', result));
    const own = { origin: 'manual', requestId: 'r' };
    expect(first.records).toEqual([
      { type: 'compaction_requested', requestId: 'r', nativeKeys: { id: 'op' } },
      { type: 'compaction_dispatched', requestId: 'r', nativeKeys: { id: 'op' } },
      { type: 'compaction_started', ...own },
      {
        type: 'compaction_ended',
        ...own,
        outcome: 'completed',
        tokens: { before: 9, after: 3, estimated: true },
        nativeKeys: { compaction: 'abcdef01:9' },
      },
      { type: 'idle' },
    ]);
    const second = play(start(), completed(), ask, compact);
    expect(second.records.slice(-2)).toMatchObject([{ position: 'abcdef01:9' }, { position: 'abcdef01:9' }]);
    const read = [wrote('read', 'read'), native.state('read', { leafId: 'leaf' })];
    expect(play(start(), completed(), ask, ...read, compact).records.at(-1)).toMatchObject({ position: 'leaf' });
    expect(play(compact).records).toEqual([{ type: 'compaction_dispatched', requestId: 'op', nativeKeys: { id: 'op' } }]);
  });

  test('of what the host withdraws, and nothing of its abort', () => {
    expect(play({ dir: 'host', ask: 'withdraw', requestId: 'r', reason: 'aborted' }).records).toEqual([
      { type: 'compaction_rejected', requestId: 'r', reason: 'aborted' },
    ]);
    expect(play({ dir: 'host', ask: 'abort' }).records).toEqual([]);
    expect(play({ dir: 'end', why: 'disposed' }).busy).toBe('closed');
  });

  test('of a run of ours: its text, its figures and its own outcome', () => {
    const said = (stopReason: string, errorMessage?: string) => ({
      type: 'message_end',
      message: { role: 'assistant', content: 'hi', stopReason, usage: { input: 2, output: 1 }, errorMessage },
    });
    expect(play(input, begun, runStarted, user('x'), said('stop'), said('stop'), ...over).records).toEqual([
      { type: 'input_written', inputId: 'in' },
      { type: 'input_received', inputId: 'in' },
      { type: 'turn_started', inputIds: ['in'] },
      { type: 'assistant_text', text: 'hi' },
      { type: 'assistant_text', text: 'hi' },
      { type: 'turn_ended', outcome: 'completed', kind: 'prompt', usage: { inputTokens: 4, outputTokens: 2 } },
      { type: 'input_ended', inputId: 'in', outcome: 'completed' },
      { type: 'idle' },
    ]);
    const failed = play(runStarted, said('error', 'no'), ...over).records;
    expect(failed.at(-2)).toMatchObject({ type: 'turn_ended', outcome: 'failed', message: 'no' });
    expect(play(said('stop')).records).toEqual([{ type: 'assistant_text', text: 'hi' }]);
    expect(play(said('stop')).busy).toBeUndefined();
  });

  test('of what nobody knows, as it came', () => {
    const strange = { type: 'strange' };
    expect(play(strange).records).toEqual([{ type: 'raw', frame: 2, native: strange }]);
    expect(play({ type: 'turn_start' }).records).toEqual([]);
    expect(play(new Unparsed('noise', 'hm', 2)).records).toHaveLength(1);
  });
});

describe('C1 a cancel has a target of ours', () => {
  const abort = { id: 'c', type: 'abort' };
  test.each<[string, (JsonObject | Body)[], JsonObject | undefined]>([
    ['nothing runs', [], undefined],
    ['our compaction was not begun', [compact], undefined],
    ['our compaction runs', [compact, start()], abort],
    ['our compaction has ended', [compact, start(), completed()], undefined],
    ['our compaction is one of two', [compact, start(), start()], undefined],
    ['our compaction was not begun in a run', [runStarted, compact], undefined],
    ['our prompt was not taken', [input], undefined],
    ['our prompt was taken', [input, begun], abort],
    ['a run is on', [runStarted], abort],
    ['an automatic compaction is on', [start('threshold')], abort],
    ['a compaction of somebody else is on', [runStarted, start()], undefined],
  ])('%s', (_what, entries, frame) => {
    expect(play(...entries).cancel).toEqual(frame);
  });
});

describe('G1 what somebody else does on the same wire', () => {
  const shell = (id: string) => ({ type: 'bash_execution_update', id });
  test('their shell commands are in the way until each is answered', () => {
    const two = [shell('a'), shell('b'), shell('a')];
    expect(play(...two).busy).toBe('busy_turn');
    expect(play(...two, answer('a', 'bash')).busy).toBe('busy_turn');
    const done = play(...two, answer('a', 'bash'), failure('b', 'bash'));
    expect([done.busy, done.records]).toEqual([undefined, [{ type: 'idle' }]]);
  });

  test('their prompt is a run, unless ours has begun', () => {
    const theirs = answer('theirs', 'prompt', { disposition: 'started' });
    expect(play(theirs)).toMatchObject({ busy: 'busy_turn', records: [{ type: 'turn_started' }] });
    expect(play(input, begun, theirs).records).toEqual([{ type: 'input_written', inputId: 'in' }]);
    expect(play(answer('theirs', 'prompt', { disposition: 'handled' })).busy).toBeUndefined();
    expect(play(answer('theirs', 'steer', { disposition: 'started' })).busy).toBeUndefined();
  });

  test('another session is looked for where they may have switched', () => {
    const isLooked = (frame: JsonObject) => play(frame).writes.some(({ ref }) => ref.kind === 'read');
    const commands = ['new_session', 'switch_session', 'fork', 'clone'];
    expect(commands.map((command) => isLooked(answer('t', command)))).toEqual([true, true, true, true]);
    expect(commands.map((command) => isLooked(failure('t', command)))).toEqual([false, false, false, false]);
    expect(isLooked(answer('t', 'fork', { cancelled: true }))).toBe(false);
    expect(isLooked(answer('t', 'set_model'))).toBe(false);
  });

  test('T8 a dialog of an extension is cancelled, and other words of it are not answered', () => {
    const asked = (method: string) => play({ type: 'extension_ui_request', id: 'q', method });
    for (const method of ['select', 'confirm', 'input', 'editor']) {
      const { records, writes } = asked(method);
      expect(records).toEqual([{ type: 'native_request_refused', method: `extension_ui_request ${method}` }]);
      expect(writes).toEqual([
        { frame: { type: 'extension_ui_response', id: 'q', cancelled: true }, ref: { kind: 'answer', id: 'q' } },
      ]);
    }
    expect(asked('notify')).toMatchObject({ records: [], writes: [] });
  });
});

test('C5 a cancel is answered once, a read each time, and nothing by an id that nobody knows', () => {
  const frames = ['c', 'c', 'read', 'unknown', ''].map((id) => native.state(id));
  const { answered, records } = play(wrote('cancel', 'c'), wrote('read', 'read'), ...frames);
  expect(answered.slice(1)).toEqual(['c', 'read']);
  expect(records).toEqual([]);
  const odd = play(wrote('read', 'read'), failure('read', 'get_state'));
  expect(odd.answered.slice(1)).toEqual(['read']);
  expect(play(native.state('')).records).toEqual([]);
});
