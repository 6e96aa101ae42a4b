import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { OURS, play, probeOf } from './support/play.ts';

const accepted = native.result(OURS);
const started = native.turnStarted('T');
const itemStarted = native.item('item/started', 'T', 'I');
const itemCompleted = native.item('item/completed', 'T', 'I');
const goal = [native.goal('active'), native.goal('paused')];
const begins = native.turnStarted;
const ends = (turnId: string) => native.turnCompleted(turnId, 'completed');
/** The probe came too late, and no other turn is named. */
const lost = (turnId: string) => native.error(probeOf(turnId), 'no active turn to steer');
const noEvidence = { status: 'unconfirmed', reason: 'no_evidence' };
const ambiguous = { status: 'unconfirmed', reason: 'ambiguous', started: false };

describe('S1 turns that may have been ours, and no word on which', () => {
  test('nothing is said while one of them runs, and then it is ambiguous', () => {
    const two = [accepted, begins('G'), lost('G'), begins('H'), lost('H')];
    expect(play([...two, ends('G')], goal).settlement).toBeUndefined();
    expect(play([...two, ends('G'), ends('H')], goal).settlement).toMatchObject(ambiguous);
    expect(play([...two, ends('H')], goal).settlement).toBeUndefined();
  });

  test('nothing is said while it is being asked', () => {
    const asked = [accepted, begins('G'), ends('G')];
    expect(play(asked, goal).settlement).toBeUndefined();
    expect(play([...asked, lost('G')], goal).settlement).toMatchObject(ambiguous);
    expect(play([...asked, native.isOrdinary(probeOf('G'))], goal).settlement).toBeUndefined();
  });

  test('one without a start beside others is ambiguous as they are; alone it is no evidence', () => {
    const two = [accepted, begins('G'), lost('G'), begins('H'), lost('H')];
    expect(play([...two, ends('X'), ends('G'), ends('H')], goal).settlement).toMatchObject(ambiguous);
    expect(play([accepted, ends('X')]).settlement).toMatchObject(noEvidence);
    expect(play([ends('X'), accepted]).settlement).toBeUndefined();
  });
});

describe('the end of our turn', () => {
  const failed = (error: JsonObject) => native.turnCompleted('T', 'failed', error);
  const end = (...frames: readonly JsonObject[]) => play([accepted, started, itemStarted, ...frames]).settlement;

  test('an item that ended without its start leaves no end proven', () => {
    for (const last of [failed({ message: 'no' }), native.turnCompleted('T', 'interrupted'), ends('T')])
      expect(play([accepted, started, itemCompleted, last]).settlement).toMatchObject(noEvidence);
  });

  test('the hint is the structured kind, and none is none', () => {
    expect(end(failed({ message: 'no', codexErrorInfo: 'contextWindowExceeded' }))).toMatchObject({ hint: 'context_limit' });
    expect(end(failed({ message: 'no', codexErrorInfo: 'other' }))).toMatchObject({ hint: 'provider_error', message: 'no' });
    expect(end(failed({ message: 'no' }))).not.toHaveProperty('hint');
  });

  test('a failure behind the item leaves open what became of the history; a cancel behind it does not', () => {
    expect(end(failed({ message: 'no' }))).toMatchObject({ context: 'unchanged' });
    expect(end(itemCompleted, failed({ message: 'no' }))).toMatchObject({ status: 'failed', context: 'unknown' });
    expect(end(itemCompleted, native.turnCompleted('T', 'interrupted'))).toMatchObject({ context: 'compacted', by: 'native' });
  });

  test('the tokens are the ones that were told', () => {
    const tokens = (before: readonly JsonObject[], after: readonly JsonObject[]) => {
      const { settlement } = play([accepted, started, itemStarted, ...after, itemCompleted, ends('T')], before);
      return settlement?.status === 'completed' ? settlement.tokens : 'not completed';
    };
    expect(tokens([], [])).toBeUndefined();
    expect(tokens([native.usage('P', 50)], [])).toEqual({ before: 50, estimated: true });
    expect(tokens([], [native.usage('T', 7)])).toEqual({ after: 7, estimated: true });
  });
});
