import type { Wire } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { type ClaudeIn, type ClaudeOut, CONTEXT_FRAME, contextCallOf } from './frames.ts';

/**
 * Hands in the host's text as a frame of the adapter's own, right behind the CLI's call of our hook: what the machine answers with
 * is in the log like everything else.
 */
export function withCompactionContext(
  wire: Wire<ClaudeIn, ClaudeOut>,
  context: () => string | undefined,
): Wire<ClaudeIn, ClaudeOut> {
  return {
    ...wire,
    start: (on) =>
      wire.start({
        ...on,
        frame(frame, bytes) {
          on.frame(frame, bytes);
          const id = contextCallOf(frame);
          if (id !== undefined) on.frame({ type: CONTEXT_FRAME, request_id: id, ...optional('text', textOf(context)) }, 0);
        },
      }),
  };
}

function textOf(context: () => string | undefined): string | undefined {
  try {
    const text: unknown = context();
    return typeof text === 'string' && text !== '' ? text : undefined;
  } catch {
    return undefined;
  }
}
