import { Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { native } from './support/native.ts';
import { type Happening, OURS, play } from './support/play.ts';

const { start, completed, failed, aborted, answer, failure, result } = native;
const done = answer(OURS, 'compact', result);
const refused = failure(OURS, 'compact', 'the words of Pi');
const spoilt = { ...refused, adapterMade: true };
const odd = { type: 'compaction_end', reason: 'manual' };
const bare = { ...completed(), result: {} };
/** Our cancel and its answer: here all that we write has the same id. */
const cancel = [{ write: 'cancel' } as const, answer(OURS, 'abort')];
const noEvidence = { status: 'unconfirmed', context: 'unknown', reason: 'no_evidence' };
const ambiguous = { status: 'unconfirmed', context: 'unknown', reason: 'ambiguous', started: true };

/** What settles a compaction of ours, by what happens behind its dispatch and before it. */
function settled(frames: readonly Happening[], before: readonly Happening[] = []) {
  const { settlements, state } = play([...native.opening(), ...before, { write: 'compact' }, ...frames]);
  expect(settlements.length).toBeLessThan(2);
  const settlement = settlements[0];
  return { settlement, kinds: settlement?.evidence.map(({ kind }) => kind), trail: piMachine.trail(state) };
}

describe('R1 the references of a result', () => {
  test('every frame of the proof, by the id of our command', () => {
    const { settlement, kinds } = settled([start(), completed(), done]);
    expect(kinds).toEqual(['dispatched', 'compaction_start', 'compaction_end_completed', 'response']);
    expect(settlement?.evidence.map(({ ids }) => ids)).toEqual([{ id: OURS }, {}, {}, { id: OURS }]);
    expect(settlement?.evidence.map(({ frame }) => frame)).toEqual([2, 3, 4, 5]);
    expect(settled([refused]).kinds).toEqual(['dispatched', 'response']);
  });

  test('what is known while it runs, and that it has begun', () => {
    expect(settled([]).trail).toMatchObject({ started: false, evidence: [{ kind: 'dispatched' }] });
    expect(settled([start()]).trail).toMatchObject({ started: true, evidence: [{}, { kind: 'compaction_start' }] });
    expect(settled([start(), failed()]).trail).toMatchObject({
      started: true,
      evidence: [{}, {}, { kind: 'compaction_end_failed' }],
    });
    expect(settled([start(), completed(), done]).trail).toEqual({ started: false, evidence: [] });
  });

  test('the figures are those of the answer, and those of the end where it has none', () => {
    const tokens = { before: 9, after: 3, estimated: true };
    expect(settled([start(), bare, done]).settlement).toMatchObject({ status: 'completed', summary: 'S', tokens });
    expect(settled([start(), completed(), answer(OURS, 'compact')]).settlement).toMatchObject({ summary: 'S', tokens });
    const half = answer(OURS, 'compact', { tokensBefore: 9 });
    expect(settled([start(), completed(), half]).settlement).toMatchObject({ tokens: { before: 9, estimated: true } });
    expect(settled([start(), completed(), half]).settlement).not.toHaveProperty('summary');
  });
});

describe('R6 what the answer says', () => {
  test('refused before a start: nothing was compacted', () => {
    const rejected = { status: 'rejected', context: 'unchanged', reason: 'native_refused', message: 'the words of Pi' };
    expect(settled([refused]).settlement).toMatchObject(rejected);
    expect(settled([completed(), refused]).settlement).toMatchObject(rejected);
  });

  test.each<[string, Happening[], boolean]>([
    ['a success without a start', [done], false],
    ['an end before our start', [completed(), done], false],
    ['a success without an end', [start(), done], true],
    ['a success behind ends that say otherwise', [start(), failed(), done], true],
    ['a failure without an end', [start(), refused], true],
    ['a failure behind the end of a success', [start(), completed(), refused], true],
    ['an end that says nothing', [start(), odd, refused], true],
    ['a line that was dropped', [start(), new Unparsed('oversize', '', 1e9), completed(), done], true],
    ['a line that was dropped in front of a refusal', [new Unparsed('oversize', '', 1e9), refused], false],
  ])('%s is no evidence', (_what, frames, started) => {
    expect(settled(frames).settlement).toMatchObject({ ...noEvidence, started });
  });

  test('failed with the native words, and a hint on a version that was tested', () => {
    const end = failed('manual', 'Nothing to compact');
    const native_failed = { status: 'failed', context: 'unchanged', reason: 'native_failed', message: 'Nothing to compact' };
    expect(settled([start(), end, refused]).settlement).toMatchObject(native_failed);
    expect(settled([start(), end, refused]).settlement).not.toHaveProperty('hint');
    const hintOn = (version: string) => {
      let { state } = piMachine.init({ deltas: false, testedVersions, version });
      const frames = [...native.opening(), start(), end, refused];
      let hint: unknown;
      for (const [at, frame] of frames.entries()) {
        const n = 2 * at + 1;
        const step = piMachine.step(state, { n, atMs: n, dir: 'in', frame });
        if (step.settlement?.status === 'failed') hint = step.settlement.hint;
        state = step.state;
        if (at > 0) continue;
        const command = piMachine.compact(state, { requestId: 'r', operationId: OURS });
        state = piMachine.step(state, {
          n: n + 1,
          atMs: n,
          dir: 'out',
          frame: command,
          ref: { kind: 'compact', id: OURS },
        }).state;
      }
      return hint;
    };
    expect(hintOn(testedVersions[0] ?? '')).toBe('nothing_to_compact');
    expect(hintOn('0.0.1')).toBeUndefined();
  });

  test('C4 aborted, by the caller only if our cancel was written before the end', () => {
    expect(settled([start(), aborted(), refused]).settlement).toMatchObject({
      status: 'aborted',
      context: 'unchanged',
      by: 'native',
    });
    expect(settled([start(), ...cancel, aborted(), refused]).settlement).toMatchObject({ status: 'aborted', by: 'caller' });
    expect(settled([start(), ...cancel, completed(), done]).settlement).toMatchObject({ status: 'completed' });
  });
});

describe('R6 another manual compaction beside ours', () => {
  test('the answer decides what a success is', () => {
    for (const frames of [
      [start(), start(), completed(), failed(), done],
      [start(), failed(), start(), completed(), done],
      [start(), completed(), start(), done],
    ])
      expect(settled(frames).settlement).toMatchObject({ status: 'completed' });
  });

  test('two that were open at once leave a failure open, and so do ends that differ', () => {
    expect(settled([start(), start(), failed(), failed(), refused]).settlement).toMatchObject(ambiguous);
    expect(settled([start(), start(), failed(), refused]).settlement).toMatchObject(ambiguous);
    expect(settled([start(), failed(), start(), aborted(), refused]).settlement).toMatchObject(ambiguous);
    expect(settled([start(), failed(), start(), failed(), refused]).settlement).toMatchObject({ status: 'failed' });
  });

  test('a promise that was spoilt is one that is done only where nothing else ran', () => {
    expect(settled([start(), completed(), spoilt]).settlement).toMatchObject({ status: 'completed', summary: 'S' });
    expect(settled([start(), failed(), spoilt]).settlement).toMatchObject({ status: 'failed' });
    expect(settled([start(), completed(), start(), completed(), spoilt]).settlement?.status).not.toBe('completed');
    const orphan = [start(), start(), failed()];
    expect(settled([start(), completed(), spoilt], orphan).settlement?.status).not.toBe('completed');
  });
});
