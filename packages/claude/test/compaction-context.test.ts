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

/** What the machine gets to see when the process says `frame`. */
function through(frame: ClaudeIn, context: () => string | undefined): ClaudeIn[] {
  const seen: ClaudeIn[] = [];
  const inner: Wire<ClaudeIn, ClaudeOut> = {
    start: (on) => on.frame(frame, 10),
    write: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    close: () => Promise.resolve(),
  };
  withCompactionContext(inner, context).start({ frame: (item) => seen.push(item), end: () => undefined });
  return seen;
}

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

  test("another's hook is passed on untouched", () => {
    expect(through(call('callback-1'), () => 'CONTEXT')).toEqual([call('callback-1')]);
    expect(step(call('callback-1')).writes).toMatchObject([{ frame: { response: { subtype: 'error' } } }]);
  });
});
