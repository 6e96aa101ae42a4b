import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { OURS, play, probeOf } from './support/play.ts';

const accepted = native.result(OURS);
const goal = [native.goal('active'), native.goal('paused')];
const begins = native.turnStarted;
const ends = (turnId: string, status = 'completed') => native.turnCompleted(turnId, status);
const items = (turnId: string) => [
  native.item('item/started', turnId, `item-${turnId}`),
  native.item('item/completed', turnId, `item-${turnId}`),
];
const isCompact = (turnId: string) => native.isCompact(probeOf(turnId));
/** The probe of one turn came too late, and names the one that runs. */
const found = (turnId: string, running: string) =>
  native.error(probeOf(turnId), `expected active turn id \`${turnId}\` but found \`${running}\``);
/** The kinds of evidence of a compaction that a probe bound. */
const probedProof = [
  'dispatched',
  'accepted',
  'turn_started',
  'turn_kind_compact',
  'item_started',
  'item_completed',
  'turn_completed',
];

describe('R6 the word on a turn', () => {
  test.each<[string, JsonObject]>([
    ['an answer that is no error', native.result(probeOf('G'))],
    ['another kind of error', native.error(probeOf('G'), 'no', { codexErrorInfo: 'other' })],
    [
      'another kind of turn',
      native.error(probeOf('G'), 'no', { codexErrorInfo: { activeTurnNotSteerable: { turnKind: 'review' } } }),
    ],
  ])('%s neither binds the turn nor rules it out', (_what, answer) => {
    const turn = [accepted, begins('G'), ...items('G'), answer];
    expect(play(turn, goal).settlement).toBeUndefined();
    expect(play([...turn, ends('G')], goal).settlement).toMatchObject({ status: 'unconfirmed', reason: 'ambiguous' });
  });

  test('it is a part of the proof', () => {
    const { settlement, kinds } = play([accepted, begins('T'), isCompact('T'), ...items('T'), ends('T')], goal);
    expect(settlement).toMatchObject({ status: 'completed' });
    expect(kinds).toEqual(probedProof);
  });

  test('the first turn that is named as the compaction stays ours', () => {
    const two = [accepted, begins('T'), begins('G'), isCompact('T'), isCompact('G'), ...items('T'), ends('G')];
    expect(play(two, goal).settlement).toBeUndefined();
    expect(play([...two, ends('T')], goal).settlement).toMatchObject({ status: 'completed' });
  });
});

describe('R6 a probe that came too late asks for the turn that runs in its place', () => {
  const named = [accepted, begins('first'), ends('first'), found('first', 'second')];

  test('by its whole id, and its proof is the same', () => {
    const { probed, kinds, settlement } = play(
      [...named, isCompact('second'), begins('second'), ...items('second'), ends('second')],
      goal,
    );
    expect(probed).toEqual([probeOf('first'), probeOf('second')]);
    expect(settlement).toMatchObject({ status: 'completed' });
    expect(kinds).toEqual(probedProof);
  });

  test('cut short before the provider answered, it leaves the history as it was', () => {
    const cut = [...named, isCompact('second'), begins('second'), ends('second', 'interrupted')];
    expect(play(cut, goal).settlement).toMatchObject({ status: 'aborted', context: 'unchanged' });
  });

  test('but not for one that is asked already, nor for any once ours is known', () => {
    const both = [accepted, begins('first'), begins('second')];
    expect(play([...both, found('first', 'second')], goal)).toMatchObject({
      probed: [probeOf('first'), probeOf('second')],
      state: { operation: { candidates: [{ turnId: 'first' }, { turnId: 'second' }] } },
    });
    expect(play([...both, isCompact('second'), found('first', 'third')], goal).probed).toEqual([
      probeOf('first'),
      probeOf('second'),
    ]);
  });
});
