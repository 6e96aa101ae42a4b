import { describe, expect, test } from 'vitest';
import { promptEffects } from '../src/prompt-effects.ts';

const results = {
  none: undefined,
  completed: { status: 'completed', context: 'compacted' },
  rejected: { status: 'rejected', context: 'unchanged' },
  failed: { status: 'failed', context: 'unchanged' },
  'failed, not known how far': { status: 'failed', context: 'unknown' },
  aborted: { status: 'aborted', context: 'unchanged' },
  'aborted behind the replacement': { status: 'aborted', context: 'compacted' },
  unconfirmed: { status: 'unconfirmed', context: 'unknown' },
} as const;
const expected: Record<keyof typeof results, string> = {
  none: 'at-next-compaction',
  completed: 'in-effect',
  rejected: 'at-next-compaction',
  failed: 'at-next-compaction',
  'failed, not known how far': 'unknown',
  aborted: 'at-next-compaction',
  'aborted behind the replacement': 'unknown',
  unconfirmed: 'unknown',
};

describe('promptEffects()', () => {
  test.each(Object.keys(results) as (keyof typeof results)[])('P1 after %s', (name) => {
    const result = results[name];
    expect(promptEffects({ system: 'at-resume', append: 'at-next-compaction' }, result)).toEqual({
      system: 'in-effect',
      append: expected[name],
    });
    expect(promptEffects({ system: 'unknown', append: 'unknown' }, result)).toEqual({ system: 'unknown', append: 'unknown' });
  });
});
