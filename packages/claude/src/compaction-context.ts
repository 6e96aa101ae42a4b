import type { Wire } from '@native-compaction/core';
import { LineFrame, optional, Unparsed } from '@native-compaction/transport';
import { type ClaudeIn, type ClaudeMessage, type ClaudeOut, CONTEXT_FRAME, contextCallOf, toFact } from './frames.ts';

/**
 * Hands in the host's text as a frame of the adapter's own, right behind the CLI's call of our hook: what the machine answers with
 * is in the log like everything else. Child agents compact too and call the same hook with nothing that names them (2.1.316,
 * 2.1.332): only the session's own compaction tells `compacting` first, and it gets the text once.
 */
export function withCompactionContext(
  wire: Wire<ClaudeIn, ClaudeOut>,
  context: () => string | undefined,
): Wire<ClaudeIn, ClaudeOut> {
  let stage: 'none' | 'compacting' | 'asked' = 'none';
  return {
    ...wire,
    start: (on) =>
      wire.start({
        ...on,
        frame(frame, bytes) {
          on.frame(frame, bytes);
          if (frame instanceof LineFrame) return;
          const id = contextCallOf(frame);
          if (id === undefined) {
            stage = stageAfter(stage, frame);
            return;
          }
          const given = stage === 'compacting' ? textOf(context) : undefined;
          if (stage === 'compacting') stage = 'asked';
          on.frame({ type: CONTEXT_FRAME, request_id: id, ...optional('text', given) }, 0);
        },
      }),
  };
}

/** All others, such as pieces of text, are not worth a second projection. */
const tellingTypes = new Set<unknown>(['system', 'result']);

function stageAfter(stage: 'none' | 'compacting' | 'asked', frame: ClaudeMessage): typeof stage {
  if (frame instanceof Unparsed || !tellingTypes.has(frame.type)) return stage;
  const fact = toFact(frame);
  if (fact.kind === 'result') return 'none';
  if (fact.kind !== 'status') return stage;
  if (!fact.isCompacting) return 'none';
  return stage === 'none' ? 'compacting' : stage; // it is told again every 30 s
}

function textOf(context: () => string | undefined): string | undefined {
  try {
    const text: unknown = context();
    return typeof text === 'string' && text !== '' ? text : undefined;
  } catch {
    return undefined;
  }
}
