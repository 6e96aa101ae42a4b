import { expect, test } from 'vitest';
import { toRpcFact } from '../src/json-rpc.ts';

test.each([
  ['a result', { id: 'a', result: {} }, { result: {} }],
  ['a null result', { id: 'a', result: null }, { result: {} }],
  ['a result beside a null error', { id: 'a', result: { b: 1 }, error: null }, { result: { b: 1 } }],
  [
    'an error',
    { id: 'a', error: { code: 1, message: 'no', data: { c: 2 } } },
    { error: { code: 1, message: 'no', data: { c: 2 } } },
  ],
  ['an error in words alone', { id: 'a', error: 'no' }, { error: { code: 0, message: 'no' } }],
  ['neither', { id: 'a' }, { error: { code: 0, message: 'The answer holds neither a result nor an error.' } }],
])('an answer with %s is read as what it says', (_what, frame, expected) => {
  expect(toRpcFact(frame)).toEqual({ kind: 'response', id: 'a', ...expected });
});

test("what names a method is no answer, and an answer to an id that is not ours is nobody's", () => {
  expect(toRpcFact({ method: 'm', id: 0 })).toEqual({ kind: 'request', id: 0, method: 'm', params: {} });
  expect(toRpcFact({ method: 'm', params: { x: 1 } })).toEqual({ kind: 'notification', method: 'm', params: { x: 1 } });
  expect(toRpcFact({ id: 7, result: {} })).toEqual({ kind: 'unknown' });
});
