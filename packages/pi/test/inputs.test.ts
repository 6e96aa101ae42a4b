import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { piMachine } from '../src/machine.ts';
import { native } from './support/native.ts';
import { OURS as INPUT, play as playAll } from './support/play.ts';

const runStarted = { type: 'agent_start' };
const loopEnded = { type: 'agent_end', messages: [], willRetry: false };
const settled = { type: 'agent_settled', aborted: false };
const begun = native.answer(INPUT, 'prompt', { disposition: 'started' });
const refused = native.failure(INPUT, 'prompt');
type Frame = JsonObject | ((readId: string) => JsonObject);

/** What becomes of one prompt of ours, by the frames after its write. */
function play(...frames: Frame[]) {
  const { state, records, types } = playAll([...native.opening(), { write: 'input' }, ...frames]);
  const told = records.flatMap((record) => {
    if (record.type === 'input_ended') return [record.outcome];
    return record.type === 'input_held' || record.type === 'input_received' ? [record.type] : [];
  });
  return { told, busy: piMachine.busy(state), types };
}

const { state: nativeState, user } = native;
const isIdle = (id: string) => nativeState(id);
const isRunning = (id: string) => nativeState(id, { isStreaming: true });

describe('S2 a prompt of ours', () => {
  test('is received with its message, not with the word that it has begun', () => {
    expect(play(begun, runStarted).told).toEqual([]);
    expect(play(begun, runStarted, user('x')).told).toEqual(['input_received']);
    expect(play(begun, runStarted, user('x'), loopEnded, settled)).toMatchObject({
      told: ['input_received', 'failed'],
      busy: undefined,
    });
  });

  test.each<[string, Frame[]]>([
    ['refused while a run of somebody else is on', [runStarted, refused]],
    ['refused before that run is told of, and Pi says that it runs', [refused, isRunning]],
    ['refused, and the run begins before Pi says so', [refused, runStarted]],
    ['begun behind a run of somebody else, whose message is not ours', [runStarted, begun, user('theirs'), settled]],
  ])('%s: held again, and the next one once that run is over', (_what, frames) => {
    expect(play(...frames)).toMatchObject({ told: ['input_held'], busy: 'busy_turn' });
    const over = play(...frames, loopEnded, settled);
    expect(over).toMatchObject({ told: ['input_held'], busy: undefined });
    const count = (type: string) => over.types.filter((item) => item === type).length;
    expect(count('turn_started')).toBe(1);
    expect(count('turn_ended')).toBe(1);
  });

  test('refused by a Pi that does nothing: undelivered', () => {
    expect(play(refused).busy).toBe('busy_turn');
    expect(play(refused, isIdle)).toMatchObject({ told: ['undelivered'], busy: undefined });
    expect(play(refused, (id) => native.failure(id, 'get_state'))).toMatchObject({ told: ['undelivered'], busy: undefined });
  });

  test('handled, and no state comes of the look: completed all the same', () => {
    const handled = native.answer(INPUT, 'prompt', { disposition: 'handled' });
    const odd = (id: string) => native.answer(id, 'get_state', {});
    expect(play(handled, odd)).toMatchObject({ told: ['input_received', 'completed'], busy: undefined });
  });

  test('a run that ends without its message: unconfirmed; with another text: ours', () => {
    expect(play(begun, runStarted, loopEnded, settled)).toMatchObject({ told: ['unconfirmed'], busy: undefined });
    expect(play(begun, runStarted, user('expanded'), loopEnded, settled).told).toEqual(['input_received', 'failed']);
    expect(play(begun, loopEnded, settled)).toMatchObject({ told: ['unconfirmed'], busy: undefined });
  });

  test('aborted before its message: aborted, never sent again', () => {
    const aborted = { ...settled, aborted: true };
    expect(play(begun, runStarted, loopEnded, aborted)).toMatchObject({ told: ['aborted'], busy: undefined });
  });
});

describe('S2 a run that could not begin is settled while the loop of another runs', () => {
  const over = [loopEnded, settled];
  const answer = native.answer('theirs', 'prompt', { disposition: 'started' });

  test.each<[string, Frame[], string[]]>([
    ['ours is told by its message', [begun, runStarted, settled, user('x')], ['input_received', 'failed']],
    ['also if its loop is told of late', [begun, settled, runStarted, user('x')], ['input_received', 'failed']],
    ['and if its message was there before', [begun, runStarted, user('x'), settled], ['input_received', 'failed']],
    ['two could not begin', [begun, settled, runStarted, settled, user('x')], ['input_received', 'failed']],
    ['no message: that loop was not ours', [begun, runStarted, settled], ['input_held']],
    ['theirs was begun before', [answer, begun, runStarted, settled, user('theirs')], ['input_held']],
    ['its loop had begun before', [runStarted, begun, user('theirs'), settled], ['input_held']],
    ['another text: theirs, or ours changed', [begun, runStarted, settled, user('theirs')], ['unconfirmed']],
    ['the same behind the message', [begun, runStarted, user('theirs'), settled], ['input_received', 'unconfirmed']],
  ])('%s', (_what, frames, told) => {
    expect(play(...frames).busy).toBe('busy_turn');
    const ended = play(...frames, ...over);
    expect(ended).toMatchObject({ told, busy: undefined });
    const count = (type: string) => ended.types.filter((item) => item === type).length;
    expect([count('turn_started'), count('turn_ended'), count('idle')]).toEqual([1, 1, 2]);
  });

  test('a run of somebody else goes on as well', () => {
    expect(play(runStarted, refused, settled).busy).toBe('busy_turn');
    expect(play(runStarted, refused, settled, isIdle).busy).toBe('busy_turn');
    expect(play(runStarted, refused, settled, ...over).busy).toBeUndefined();
  });

  const rejected = { id: INPUT, type: 'prompt_settled', success: false, isLooping: true, adapterMade: true };
  const failed = { ...rejected, isLooping: false };
  const resolved = { ...rejected, success: true };
  test.each<[string, Frame[], string[]]>([
    ['ours could not begin', [begun, runStarted, settled, rejected], ['input_held']],
    ['whatever was said', [begun, runStarted, settled, user('theirs'), rejected], ['input_held']],
    ['no loop is told of yet', [begun, settled, rejected], ['input_held']],
  ])('in process the promise of ours says it: %s', (_what, frames, told) => {
    expect(play(...frames)).toMatchObject({ told, busy: 'busy_turn' });
    expect(play(...frames, runStarted, ...over)).toMatchObject({ told, busy: undefined });
  });

  test('in process the promise also ends a run whose events a listener of the host has hidden', () => {
    expect(play(begun, runStarted, user('x'), resolved)).toMatchObject({ told: ['input_received', 'failed'], busy: undefined });
    expect(play(begun, runStarted, user('x'), rejected)).toMatchObject({ told: ['input_received', 'failed'], busy: undefined });
    expect(play(begun, runStarted, settled, failed)).toMatchObject({ told: ['unconfirmed'], busy: undefined });
    expect(play(begun, rejected)).toMatchObject({ told: ['unconfirmed'], busy: undefined });
    expect(play(begun, resolved)).toMatchObject({ told: ['unconfirmed'], busy: undefined });
    const isOver = (id: string) => nativeState(id, { isLooping: false });
    const isOn = (id: string) => nativeState(id, { isLooping: true });
    expect(play(runStarted, refused, settled, isOn).busy).toBe('busy_turn');
    expect(play(runStarted, refused, settled, isOver)).toMatchObject({ told: ['input_held'], busy: undefined });
  });

  test('nothing else says what only the adapter can, and what comes late says nothing', () => {
    const said = { ...rejected, adapterMade: undefined };
    expect(play(begun, runStarted, said)).toMatchObject({ told: [], busy: 'busy_turn' });
    expect(play(begun, runStarted, user('x'), ...over, rejected).told).toEqual(['input_received', 'failed']);
  });
});
