import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { native } from './support/native.ts';
import { OURS, play } from './support/play.ts';

const runStarted = { type: 'agent_start' };
const settled = { type: 'agent_settled', aborted: false };
const refused = native.failure(OURS, 'prompt');
const input = { write: 'input' } as const;
const state = (data: JsonObject) => (id: string) => native.state(id, data);
/** Somebody else has changed the session of the process: we look. */
const switched = native.answer('theirs', 'new_session', {});

describe('G1 what is in the way', () => {
  test('a session that is not open yet is not ready, and one that is over is closed', () => {
    const { state } = piMachine.init({ deltas: false, testedVersions });
    expect(piMachine.busy(state)).toBe('not_ready');
    const over = piMachine.step(play(native.opening()).state, { n: 9, atMs: 9, dir: 'end', why: 'disposed' }).state;
    expect(piMachine.busy(over)).toBe('closed');
    expect(piMachine.admit(over, 0)).toEqual({ reject: 'closed' });
  });

  test.each<[JsonObject, object]>([
    [{ isIdle: true }, { go: true }],
    [{ isIdle: false }, { reject: 'busy_turn' }],
    [{ isIdle: false, isCompacting: true }, { reject: 'busy_compaction' }],
    [{ isCompacting: 'no' }, { reject: 'not_ready' }],
  ])('Pi says %o', (data, verdict) => {
    const opened = play(native.opening()).state;
    const admission = piMachine.admit(opened, 1_000);
    const [read] = 'ask' in admission ? admission.ask : [];
    if (!read) throw new Error('nothing was asked');
    const asked = piMachine.step(opened, { n: 1_000, atMs: 0, dir: 'out', ...read }).state;
    const answered = piMachine.step(asked, { n: 1_001, atMs: 0, dir: 'in', frame: native.state(read.ref.id, data) }).state;
    expect(piMachine.admit(answered, 999)).toEqual(verdict);
  });
});

describe('what a look at Pi corrects', () => {
  test('another session is told of, the same one is not', () => {
    const other = play([...native.opening(), switched, state({ sessionId: 'other' })]);
    expect(other.records.at(-1)).toEqual({ type: 'session_identified', nativeId: 'other' });
    expect(other.state.sessionId).toBe('other');
    expect(play([...native.opening(), switched, state({})]).types).not.toContain('session_identified');
    expect(play([...native.opening(), switched, state({ sessionId: undefined })]).types).not.toContain('session_identified');
  });

  test('a run that was not told of is in the way; one that may be of our prompt is not told as another', () => {
    const running = play([...native.opening(), switched, state({ isStreaming: true })]);
    expect(running.types.at(-1)).toBe('turn_started');
    expect(piMachine.busy(running.state)).toBe('busy_turn');
    const ours = play([...native.opening(), input, switched, state({ isStreaming: true })]);
    expect(ours.types).not.toContain('turn_started');
  });

  test.each([
    ['a compaction of somebody else', [native.start()], state({ isCompacting: true })],
    ['an automatic one', [native.start('threshold')], state({ isCompacting: true })],
  ])('a prompt that is refused while %s runs is held again', (_what, before, looked) => {
    const { types } = play([...native.opening(), input, ...before, refused, looked]);
    expect(types).toContain('input_held');
    expect(types).not.toContain('input_ended');
  });

  test('a prompt that is handled while nothing runs is completed, whatever the look says of a run', () => {
    const handled = native.answer(OURS, 'prompt', { disposition: 'handled' });
    const { records } = play([...native.opening(), input, handled, runStarted, settled, state({ isStreaming: true })]);
    expect(records).toContainEqual({ type: 'input_ended', inputId: OURS, outcome: 'completed' });
  });

  test('a compaction of somebody else that runs no more has ended, and how is not known', () => {
    const gone = play([...native.opening(), native.start(), switched, state({})]);
    expect(gone.records.slice(-2)).toEqual([
      { type: 'compaction_ended', origin: 'foreign', outcome: 'unknown' },
      { type: 'idle' },
    ]);
    const goes = play([...native.opening(), native.start(), switched, state({ isCompacting: true })]);
    expect(piMachine.busy(goes.state)).toBe('busy_compaction');
  });

  test('in process the end of a loop that was not told of ends its run, which failed; one that was told of waits for Pi', () => {
    const isOver = state({ isLooping: false });
    const hidden = play([...native.opening(), runStarted, switched, isOver]);
    expect(hidden.records.slice(-2)).toMatchObject([{ type: 'turn_ended', outcome: 'failed' }, { type: 'idle' }]);
    const told = play([...native.opening(), runStarted, { type: 'agent_end', messages: [] }, switched, isOver]);
    expect(piMachine.busy(told.state)).toBe('busy_turn');
    const none = play([...native.opening(), switched, isOver]);
    expect(piMachine.busy(none.state)).toBeUndefined();
  });

  test('G4 an answer without a state corrects nothing', () => {
    const empty = play([...native.opening(), runStarted, switched, (id) => native.answer(id, 'get_state')]);
    expect(empty.state.read?.answer).toBe('failed');
    expect(piMachine.busy(empty.state)).toBe('busy_turn');
  });

  test('whether the model takes a changed prompt behind the old one is told anew', () => {
    const patched = state({ model: { compat: { supportsMidConvoSystemMessages: true } } });
    expect(play(native.opening()).state.isPromptPatched).toBe(false);
    expect(play([...native.opening(), switched, patched]).state.isPromptPatched).toBe(true);
    expect(play([...native.opening(), switched, patched, switched, state({ model: {} })]).state.isPromptPatched).toBe(false);
  });
});
