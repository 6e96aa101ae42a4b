import { type CompactionResult, failureHints, rejectReasons, unconfirmedReasons } from '@native-compaction/core';
import { expect, test } from 'vitest';
import { exitCodeOf, exitCodes } from '../src/exit-codes.ts';
import { toResultLines } from '../src/render/result.ts';

const common = { requestId: 'r', sessionId: 's', runtime: 'codex', vendorVersion: '0.171.0' };
const evidence = [{ frame: 3, kind: 'dispatched', ids: {} }] as const;

test('a completed result says what proves it and what is in effect', () => {
  const result = {
    ...common,
    status: 'completed',
    context: 'compacted',
    evidence,
    dispatchedAtMs: 1_000,
    settledAtMs: 3_500,
    tokens: { before: 1_000, after: 200, estimated: true },
  } as unknown as CompactionResult;
  expect(toResultLines(result, { prompt: { system: 'in-effect', append: 'at-next-compaction' } })).toEqual([
    'completed',
    '  runtime        codex 0.171.0',
    '  context        compacted',
    '  took           2 s',
    "  tokens         1000 → 200 (the agent's figures, estimated)",
    '  proof          dispatched (frame 3)',
    '  system prompt  what was given here, or left out, is in effect with the next request',
    '  appended       what was given here is not in effect: the old one stays until a compaction completes',
  ]);
});

const others = [
  ...rejectReasons.map((reason) => ({ status: 'rejected', context: 'unchanged', reason, evidence: [] })),
  ...unconfirmedReasons.map((reason) => ({ status: 'unconfirmed', context: 'unknown', reason, started: true, evidence })),
  ...[undefined, ...failureHints].map((hint) => ({
    status: 'failed',
    context: 'unchanged',
    reason: 'native_failed',
    hint,
    evidence,
  })),
  { status: 'aborted', context: 'compacted', by: 'caller', evidence },
  { status: 'aborted', context: 'unchanged', by: 'native', evidence },
].map((result) => ({ ...common, ...result }) as unknown as CompactionResult);

test('every other result says what to do next, and no two reasons say the same', () => {
  const next = others.map((result) => toResultLines(result).find((line) => line.startsWith('  next')));
  for (const line of next) expect(line).toMatch(/^ {2}next {11}\S.*\.$/);
  const distinct = new Set(next);
  // A failure without a hint and one of the provider are the same news.
  expect(distinct.size).toBe(others.length - 1);
});

test("where the agent's own files say what became of it, that decides what to do next", () => {
  const result = {
    ...common,
    status: 'unconfirmed',
    context: 'unknown',
    reason: 'timeout',
    started: true,
    evidence,
  } as unknown as CompactionResult;
  const lines = (context: 'compacted' | 'unchanged' | 'unknown') => toResultLines(result, { afterwards: context }).slice(-2);
  expect(lines('compacted')).toEqual([
    "  afterwards     the agent's own files say that history was replaced",
    '  next           Go on with the session.',
  ]);
  expect(lines('unchanged')[1]).toBe('  next           Ask again if you still want it, and give --timeout more.');
  expect(lines('unknown')[1]).toMatch(/look at the session before asking again/);
});

test('the exit codes are those that are promised', () => {
  expect(exitCodes).toEqual({ completed: 0, internal: 1, usage: 2, rejected: 10, failed: 11, aborted: 12, unconfirmed: 13 });
  expect([exitCodeOf('resume_failed'), exitCodeOf('executable_not_found'), exitCodeOf('session_held')]).toEqual([2, 2, 1]);
});

test('a prompt is spoken of where one was given, what an unconfirmed result has seen is called no proof, and a cancel is told as yours', () => {
  const failed = { ...common, runtime: 'claude', status: 'failed', context: 'unchanged', reason: 'native_failed', evidence };
  const lines = toResultLines(failed as unknown as CompactionResult, { isCancelled: true });
  expect(lines.slice(2)).toEqual([
    '  context        unchanged',
    '  proof          dispatched (frame 3)',
    '  next           You cancelled it. Ask again when you want it.',
  ]);
  const hinted = { ...failed, hint: 'context_limit' } as unknown as CompactionResult;
  expect(toResultLines(hinted, { isCancelled: true }).at(-1)).toMatch(/too large/);
  const unconfirmed = { ...failed, status: 'unconfirmed', context: 'unknown', reason: 'timeout', started: true };
  expect(toResultLines(unconfirmed as unknown as CompactionResult)).toContain('  seen so far    dispatched (frame 3)');
});

test('on a narrow terminal it is broken at words, behind its labels', () => {
  const result = { ...common, status: 'rejected', context: 'unchanged', reason: 'goal_active', evidence: [] };
  expect(toResultLines(result as unknown as CompactionResult, {}, 40).slice(-3)).toEqual(
    [
      '  next           A goal is active in',
      '                 this thread. Pause it',
      '                 in Codex, then ask',
      '                 again.',
    ].slice(-3),
  );
});
