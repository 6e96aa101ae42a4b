import { type JsonObject, object } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { OURS, play, probeOf } from './support/play.ts';

const accepted = native.result(OURS);
const started = native.turnStarted('T');
const itemStarted = native.item('item/started', 'T', 'I');
const itemCompleted = native.item('item/completed', 'T', 'I');
const completed = native.turnCompleted('T', 'completed');
const interrupted = native.turnCompleted('T', 'interrupted');
const whole = [accepted, started, itemStarted, itemCompleted, completed];
const goal = [native.goal('active'), native.goal('paused')];
const other = native.turnStarted('G');
const noEvidence = { status: 'unconfirmed', reason: 'no_evidence' };
/** Figures of a turn that count a further request of the thread. */
const counted = (turnId: string, totalTokens: number) => {
  const frame = native.usage(turnId, totalTokens);
  return { ...frame, params: { ...object(frame.params), tokenUsage: { last: { totalTokens }, total: { totalTokens } } } };
};

describe('the references of a result', () => {
  test('R1 every frame of the proof is named', () => {
    expect(play(whole).kinds).toEqual([
      'dispatched',
      'accepted',
      'turn_started',
      'item_started',
      'item_completed',
      'turn_completed',
    ]);
    expect(play([native.error(OURS, 'no')]).kinds).toEqual(['dispatched', 'refused']);
  });

  test('R1 the tokens are those before our command, and those of our own turn', () => {
    const usage = [native.usage('G', 9), native.usage('T', 7), native.usage('G', 9)];
    const { settlement } = play([accepted, started, ...usage, itemStarted, itemCompleted, completed], [native.usage('P', 50)]);
    expect(settlement).toMatchObject({ status: 'completed', tokens: { before: 50, after: 7, estimated: true } });
  });

  test('an interruption leaves the history as it was, unless the provider had answered', () => {
    const cut = (figures: JsonObject) => play([accepted, started, itemStarted, figures, interrupted]).settlement;
    expect(cut(native.usage('T', 7))).toMatchObject({ status: 'aborted', context: 'unchanged' });
    expect(cut(counted('G', 7))).toMatchObject({ status: 'aborted', context: 'unchanged' });
    expect(cut(counted('T', 7))).toMatchObject({ status: 'aborted', context: 'unknown' });
    expect(play([accepted, started, itemStarted, counted('T', 7), native.usage('T', 7), interrupted]).settlement).toMatchObject({
      context: 'unknown',
    });
  });
});

describe('R8 what is told twice costs nothing', () => {
  test.each([
    ['the start of the item', [accepted, started, itemStarted, itemStarted, itemCompleted, itemStarted, completed]],
    ['the end of the item', [accepted, started, itemStarted, itemCompleted, itemCompleted, completed]],
    ['the start of the turn', [accepted, started, itemStarted, other, started, itemCompleted, completed]],
  ])('%s', (_what, frames) => {
    const { settlement, kinds } = play(frames);
    expect(settlement).toMatchObject({ status: 'completed' });
    expect(new Set(kinds).size).toBe(kinds.length);
  });
});

describe('R6 what is not ours', () => {
  test('the end of another item is no end of ours', () => {
    const another = [native.item('item/started', 'T', 'J'), native.item('item/completed', 'T', 'J')];
    expect(play([accepted, started, itemStarted, ...another, completed]).settlement).toMatchObject(noEvidence);
    expect(play([accepted, started, itemStarted, ...another, itemCompleted, completed]).settlement).toMatchObject({
      status: 'completed',
      evidence: expect.arrayContaining([expect.objectContaining({ kind: 'item_completed', ids: { turnId: 'T', itemId: 'I' } })]),
    });
  });

  test('a turn behind ours is not asked for, and one before the answer is none of ours', () => {
    expect(play([accepted, started, other]).probed).toEqual([]);
    const early = play([other, accepted, started, itemStarted, itemCompleted]);
    expect(early.probed).toEqual([probeOf('T')]);
    expect(early.settlement).toBeUndefined();
  });

  test('an item before the start of the turn that a probe named breaks the proof', () => {
    const found = native.error(probeOf('G'), 'expected active turn id `G` but found `T`');
    const named = [accepted, other, native.turnCompleted('G', 'completed'), found, native.isCompact(probeOf('T'))];
    expect(play([...named, ...whole.slice(1)], goal).settlement).toMatchObject({ status: 'completed' });
    expect(play([...named, itemStarted, ...whole.slice(1)], goal).settlement).toMatchObject(noEvidence);
  });

  test('E3 a turn whose start nobody told of may have been ours: no evidence, and no reference to it but its end', () => {
    const ordinary = [accepted, other, native.isOrdinary(probeOf('G')), native.turnCompleted('G', 'completed')];
    expect(play(ordinary, goal).settlement).toBeUndefined();
    const { settlement, kinds } = play([...ordinary, native.turnCompleted('X', 'completed')], goal);
    expect(settlement).toMatchObject({ ...noEvidence, started: false });
    expect(kinds).toEqual(['dispatched', 'accepted', 'turn_started', 'turn_completed', 'turn_completed']);
  });
});
