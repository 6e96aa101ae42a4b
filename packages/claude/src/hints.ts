import type { FailureHint } from '@native-compaction/core';

/** Native text of 2.1.316 and 2.1.332, first match wins. A hint is a convenience and decides nothing. */
const patterns: readonly (readonly [RegExp, FailureHint | undefined])[] = [
  [/no messages to compact|not enough messages to compact/i, 'nothing_to_compact'],
  [/blocked by PreCompact hook/i, 'blocked_by_hook'],
  [/could not be reduced below the context limit|prompt is too long/i, 'context_limit'],
  [/request was aborted/i, undefined],
  [/API Error|Connection refused|timed out|summarization (?:response|produced)|overloaded/i, 'provider_error'],
];

export function failureHint(text: string | undefined): FailureHint | undefined {
  if (text === undefined) return undefined;
  return patterns.find(([pattern]) => pattern.test(text))?.[1];
}
