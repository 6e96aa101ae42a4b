import type { CompactionStatus, ErrorCode } from '@native-compaction/core';

/** What the process ends with. A compaction's code is its status; nothing else uses those. */
export const exitCodes = {
  completed: 0,
  internal: 1,
  usage: 2,
  rejected: 10,
  failed: 11,
  aborted: 12,
  unconfirmed: 13,
} as const satisfies Record<CompactionStatus | 'internal' | 'usage', number>;

/** Errors that say what was asked for cannot be had as it was asked. */
const usageErrors: readonly ErrorCode[] = [
  'invalid_options',
  'cwd_not_found',
  'executable_not_found',
  'resume_failed',
  'capture_failed',
];

export function exitCodeOf(code: ErrorCode): number {
  return usageErrors.includes(code) ? exitCodes.usage : exitCodes.internal;
}
