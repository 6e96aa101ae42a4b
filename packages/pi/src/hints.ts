import type { FailureHint } from '@native-compaction/core';

/** Native text of 1.4.0, 1.5.0 and 1.6.0, first match wins. A hint is a convenience and decides nothing. */
const patterns: readonly (readonly [RegExp, FailureHint])[] = [
  [/Nothing to compact|Already compacted/, 'nothing_to_compact'],
  [/maximum context length|context window|prompt is too long/i, 'context_limit'],
  [/summarization failed:|Summarization attempted/i, 'provider_error'],
];

export function failureHint(text: string | undefined): FailureHint | undefined {
  return text === undefined ? undefined : patterns.find(([pattern]) => pattern.test(text))?.[1];
}
