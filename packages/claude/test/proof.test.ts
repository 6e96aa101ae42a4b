import type { JsonObject } from '@native-compaction/transport';
import { Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { type ClaudeMessage, toFact } from '../src/frames.ts';
import { dispatched, type ProofRules, stepProof } from '../src/proof.ts';
import { native } from './support/native.ts';

const U = 'uuid-ours';
const V = 'uuid-theirs';
const tested: ProofRules = { hasLifecycle: true, isTested: true };
const silent: ProofRules = { hasLifecycle: false, isTested: false };

/** Steps our command with frames; `isOurs` tells of each of them whether it was taken for ours. */
function play(frames: readonly ClaudeMessage[], rules = tested, isCancelled = false) {
  let operation = { ...dispatched('r', U, 1), cancelWritten: isCancelled };
  const isOurs: boolean[] = [];
  for (const [at, frame] of frames.entries()) {
    const step = stepProof(operation, toFact(frame), at + 2, rules);
    operation = { ...step.operation, cancelWritten: isCancelled };
    isOurs.push(step.isOurs);
    if (step.settlement) return { isOurs, settlement: step.settlement, kinds: step.settlement.evidence.map(({ kind }) => kind) };
  }
  return { isOurs, settlement: undefined, kinds: operation.evidence.map(({ kind }) => kind) };
}

const queued = native.lifecycle(U, 'queued');
const started = native.lifecycle(U, 'started');
const compacting = native.compacting();
const success = native.compacted('success');
const failed = native.compacted('failed', 'API Error: 500');
const init = native.init(U);
const boundary = native.boundary('manual');
const result = native.compactResult(U);
const oversize = new Unparsed('oversize', '', 1e9);
const summary = (content: string): JsonObject => ({ type: 'user', isSynthetic: true, message: { role: 'user', content } });
const said = (text: string): JsonObject => {
  const { local_command_outcome: _failed, ...frame } = native.commandFailed(text);
  return frame;
};
const whole = [queued, started, compacting, success, init, boundary, result];
const noEvidence = { status: 'unconfirmed', reason: 'no_evidence' };

test('R1 the whole proof is referenced frame by frame, and every frame of it is ours', () => {
  const { settlement, kinds, isOurs } = play(whole);
  expect(settlement).toMatchObject({ status: 'completed', tokens: { before: 100, after: 10, estimated: true }, durationMs: 5 });
  expect(kinds).toEqual([
    'dispatched',
    'queued',
    'started',
    'compacting',
    'compact_result',
    'init',
    'compact_boundary',
    'result',
  ]);
  expect(isOurs).toEqual(whole.map(() => true));
});

describe('R8 what Claude tells twice, and what it tells beside the proof, costs nothing', () => {
  test.each<[string, readonly ClaudeMessage[]]>([
    ['the queue', [queued, queued, started, queued, compacting, success, init, boundary, result]],
    ['the start', [queued, started, started, compacting, started, success, init, boundary, started, result]],
    ['the status', [started, compacting, compacting, success, success, init, boundary, result]],
    ['the init', [started, compacting, success, init, init, boundary, init, result]],
    ['the boundary', [started, compacting, success, init, boundary, boundary, result]],
    ['a word of the command', [started, compacting, success, init, said('Compacting'), boundary, said('Compacted'), result]],
  ])('%s', (_what, frames) => {
    const { settlement, isOurs } = play(frames);
    expect(settlement).toMatchObject({ status: 'completed' });
    expect(isOurs).toEqual(frames.map(() => true));
  });

  test.each<[string, readonly ClaudeMessage[]]>([
    ['the init of a failure', [started, compacting, failed, init, init, result]],
    [
      'the failure, once more as the word of the command',
      [started, compacting, failed, init, native.commandFailed('No'), result],
    ],
    [
      'the init and the word of a command that has nothing to do',
      [started, init, init, said('Hm'), native.commandFailed('No'), init, said('Hm'), result],
    ],
  ])('%s', (_what, frames) => {
    expect(play(frames).settlement).toMatchObject({ status: 'failed', reason: 'native_failed' });
  });

  test('the summary is the first one behind the boundary; none before it is ours', () => {
    const { settlement, isOurs } = play([
      started,
      compacting,
      summary('old'),
      success,
      init,
      boundary,
      summary('S'),
      summary('T'),
      result,
    ]);
    expect(settlement).toMatchObject({ status: 'completed', summary: 'S' });
    expect(isOurs).toEqual([true, true, false, true, true, true, true, false, true]);
  });
});

describe('R6 what is not ours', () => {
  test('before our start, nothing but our own lifecycle', () => {
    const { isOurs } = play([queued, compacting, success, init, boundary, said('x'), native.compactResult(V)]);
    expect(isOurs).toEqual([true, false, false, false, false, false, false]);
  });

  test('a second boundary is the end of the proof, and is of nobody else', () => {
    const { settlement, isOurs } = play([
      started,
      compacting,
      success,
      init,
      boundary,
      native.boundary('manual', 'another'),
      result,
    ]);
    expect(settlement).toMatchObject(noEvidence);
    expect(isOurs).not.toContain(false);
  });

  test('a turn that also takes a message of somebody else is ours and proves nothing', () => {
    const { settlement, isOurs } = play([started, compacting, success, native.init(U, V), boundary, result]);
    expect(settlement).toMatchObject(noEvidence);
    expect(isOurs[3]).toBe(true);
  });

  test('a line that was dropped is of nobody, and breaks the proof even of a cancel', () => {
    const { settlement, isOurs } = play([queued, oversize, native.lifecycle(U, 'cancelled')], tested, true);
    expect(settlement).toMatchObject({ ...noEvidence, started: false });
    expect(isOurs).toEqual([true, false, true]);
  });

  test('C4 what Claude discards itself was not cancelled by the caller, whatever we wrote', () => {
    expect(play([native.lifecycle(U, 'discarded')], tested, true).settlement).toMatchObject({ status: 'aborted', by: 'native' });
    expect(play([native.lifecycle(U, 'cancelled')], tested, true).settlement).toMatchObject({ status: 'aborted', by: 'caller' });
  });
});

describe('the reference of the result', () => {
  const ending = (extra: JsonObject, local_command: string | undefined = 'compact') =>
    play([...whole.slice(0, -1), native.result(undefined, { local_command, num_turns: 0, ...extra })]).settlement;

  test.each<[string, JsonObject]>([
    ['the one field', { user_message_uuid: U }],
    ['the other field', { user_message_uuids: [U] }],
    ['both', { user_message_uuid: U, user_message_uuids: [U] }],
  ])('%s names our command: completed', (_what, names) => {
    expect(ending(names)).toMatchObject({ status: 'completed' });
  });

  test.each<[string, JsonObject]>([
    ['none names anything', {}],
    ['the list names another beside ours', { user_message_uuid: U, user_message_uuids: [U, V] }],
    ['the list names another and the field ours', { user_message_uuid: U, user_message_uuids: [V] }],
    ['the list names ours and the field another', { user_message_uuid: V, user_message_uuids: [U] }],
  ])('%s: no evidence', (_what, names) => {
    expect(ending(names)).toMatchObject(noEvidence);
  });

  test('a compaction that names nothing is the end of ours', () => {
    expect(play([...whole.slice(0, -1), native.compactResult(undefined)]).isOurs.at(-1)).toBe(true);
  });

  test('one of another message, or of a turn that names nothing and is no compaction, settles nothing', () => {
    expect(ending({ user_message_uuid: V, user_message_uuids: [V] })).toBeUndefined();
    expect(ending({}, 'model')).toBeUndefined();
  });
});

describe('E3 a process that tells of no lifecycle', () => {
  const work = [compacting, success, init, boundary, result];

  test('its work is the start, and is told as that', () => {
    expect(play(work, silent).settlement).toMatchObject({ status: 'completed' });
    expect(play([result], silent).settlement).toMatchObject({ ...noEvidence, started: false });
    expect(play([compacting, result], silent).settlement).toMatchObject({ ...noEvidence, started: true });
  });

  test('what came before the result of somebody else was theirs', () => {
    const theirs = [compacting, success, native.compactResult(V)];
    expect(play([...theirs, ...work], silent)).toMatchObject({
      settlement: { status: 'completed' },
      isOurs: [true, true, false, true, true, true, true, true],
    });
    expect(play([...theirs, init, boundary, result], silent).settlement).toMatchObject(noEvidence);
    const { settlement, kinds } = play([...theirs, result], silent);
    expect(settlement).toMatchObject({ ...noEvidence, started: false });
    expect(kinds).toEqual(['dispatched', 'result']);
    expect(play([oversize, native.compactResult(V), ...work], silent).settlement).toMatchObject(noEvidence);
  });

  test('the result of another command is none of a compaction', () => {
    const other = native.result(U, { local_command: 'cost', num_turns: 0 });
    expect(play([...work.slice(0, -1), other], silent).settlement).toMatchObject(noEvidence);
  });
});
