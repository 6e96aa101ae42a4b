import type { Wire } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { withCompactionContext } from '../src/compaction-context.ts';
import { type ClaudeIn, type ClaudeOut, CONTEXT_CALLBACK, CONTEXT_FRAME } from '../src/frames.ts';
import { claudeMachine } from '../src/machine.ts';

const facts = { prompt: {}, testedVersions: ['2.1.332'] };
const call = (callback: string) => ({
  type: 'control_request',
  request_id: 'hook-1',
  request: { subtype: 'hook_callback', callback_id: callback, input: { hook_event_name: 'SessionStart', source: 'compact' } },
});
const step = (frame: ClaudeIn) => claudeMachine.step(claudeMachine.init(facts).state, { n: 1, atMs: 0, dir: 'in', frame });

const compacting = { type: 'system', subtype: 'status', status: 'compacting' };
const compacted = { type: 'system', subtype: 'status', status: null, compact_result: 'success' };

/** What the machine gets to see when the process says these frames. */
function allThrough(frames: readonly ClaudeIn[], context: () => string | undefined): ClaudeIn[] {
  const seen: ClaudeIn[] = [];
  const inner: Wire<ClaudeIn, ClaudeOut> = {
    start(on) {
      for (const frame of frames) on.frame(frame, 10);
    },
    write: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    close: () => Promise.resolve(),
  };
  withCompactionContext(inner, context).start({ frame: (item) => seen.push(item), end: () => undefined });
  return seen;
}

/** The same for one frame while the session itself compacts. */
const through = (frame: ClaudeIn, context: () => string | undefined) => allThrough([compacting, frame], context).slice(1);

describe('the text after a compaction', () => {
  test('the hook is registered by the first read alone, and only where it is asked for', () => {
    const open = (hasCompactionContext: boolean) =>
      claudeMachine.init({ ...facts, hasCompactionContext }).writes?.[0]?.frame.request;
    expect(open(false)).toEqual({ subtype: 'initialize' });
    expect(open(true)).toEqual({
      subtype: 'initialize',
      hooks: { SessionStart: [{ matcher: 'compact', hookCallbackIds: [CONTEXT_CALLBACK] }] },
    });
  });

  test('the text follows the call as a frame of its own, and is answered from there', () => {
    const [asked, text] = through(call(CONTEXT_CALLBACK), () => 'CONTEXT');
    expect(text).toEqual({ type: CONTEXT_FRAME, request_id: 'hook-1', text: 'CONTEXT' });
    expect(step(asked as ClaudeIn)).toMatchObject({ records: [] });
    expect(step(asked as ClaudeIn).writes).toBeUndefined();
    expect(step(text as ClaudeIn).writes).toEqual([
      {
        ref: { kind: 'answer', id: 'hook-1' },
        frame: {
          type: 'control_response',
          response: {
            subtype: 'success',
            request_id: 'hook-1',
            response: { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'CONTEXT' } },
          },
        },
      },
    ]);
  });

  test.each([
    ['nothing', () => undefined],
    ['an empty text', () => ''],
    ['a promise', () => Promise.resolve('late') as never],
    [
      'a throw',
      () => {
        throw new Error('no');
      },
    ],
  ])('%s adds nothing, and the hook is answered all the same', (_what, context) => {
    const [, text] = through(call(CONTEXT_CALLBACK), context);
    expect(step(text as ClaudeIn).writes).toMatchObject([{ frame: { response: { subtype: 'success', response: {} } } }]);
  });

  test.each([
    ['none of the session', [call(CONTEXT_CALLBACK)], [undefined]],
    ['one that is over', [compacting, compacted, call(CONTEXT_CALLBACK)], [undefined]],
    ['one that failed', [compacting, { ...compacted, compact_result: 'failed' }, call(CONTEXT_CALLBACK)], [undefined]],
    ['one whose turn ended', [compacting, { type: 'result' }, call(CONTEXT_CALLBACK)], [undefined]],
    ['a second call', [compacting, call(CONTEXT_CALLBACK), compacting, call(CONTEXT_CALLBACK)], ['CONTEXT', undefined]],
    [
      'the next one',
      [compacting, call(CONTEXT_CALLBACK), compacted, call(CONTEXT_CALLBACK), compacting, compacting, call(CONTEXT_CALLBACK)],
      ['CONTEXT', undefined, 'CONTEXT'],
    ],
  ])('a call at a compaction of a child gets no text: %s', (_what, frames, texts) => {
    const seen = allThrough(frames, () => 'CONTEXT');
    const answers = seen.filter((frame) => 'type' in frame && frame.type === CONTEXT_FRAME);
    expect(answers.map((frame) => (frame as { text?: string }).text)).toEqual(texts);
    for (const frame of answers) expect(step(frame).writes).toHaveLength(1);
  });

  test("another's hook is passed on untouched", () => {
    expect(through(call('callback-1'), () => 'CONTEXT')).toEqual([call('callback-1')]);
    expect(step(call('callback-1')).writes).toMatchObject([{ frame: { response: { subtype: 'error' } } }]);
  });
});
