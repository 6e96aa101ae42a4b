import type { Usage } from '@native-compaction/core';
import { type JsonObject, number, optional } from '@native-compaction/transport';
import type { Fact } from './frames.ts';

/** What the requests of one turn used. Codex tells the last request's figures, and tells them again when nothing was asked. */
export interface TurnUsage {
  readonly turnId: string;
  readonly usage: Usage;
}

/** Adds a request's figures once: the thread's sum grows with each request, and only then (0.166.0, 0.171.0). */
export function addUsage(
  { turnUsage, threadTokens }: { readonly turnUsage?: TurnUsage; readonly threadTokens?: number },
  { turnId, total, usage }: Extract<Fact, { kind: 'usage' }>,
): { readonly turnUsage?: TurnUsage; readonly threadTokens?: number } {
  if (total === threadTokens) return {};
  const before = turnUsage?.turnId === turnId ? turnUsage.usage : {};
  return { turnUsage: { turnId, usage: sum(before, toUsage(usage)) }, ...optional('threadTokens', total) };
}

function sum(a: Usage, b: Usage): Usage {
  const names = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;
  const figures = names.flatMap((name) =>
    a[name] === undefined && b[name] === undefined ? [] : [[name, (a[name] ?? 0) + (b[name] ?? 0)] as const],
  );
  return Object.fromEntries(figures);
}

function toUsage(usage: JsonObject): Usage {
  return {
    ...optional('inputTokens', number(usage.inputTokens)),
    ...optional('outputTokens', number(usage.outputTokens)),
    ...optional('cacheReadTokens', number(usage.cachedInputTokens)),
    ...optional('cacheWriteTokens', number(usage.cacheWriteInputTokens)),
  };
}
