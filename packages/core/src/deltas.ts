import type { RecordDraft } from './record.ts';
import type { Redactor } from './redact.ts';

type Delta = Extract<RecordDraft, { type: 'assistant_delta' }>;

/** Holds back the end of a delta that may still become a secret, until more of it comes or its text is over (R9). */
export interface Deltas {
  /** What may be logged now, in order. Everything but deltas passes through, after what it ends. */
  take(draft: RecordDraft): readonly RecordDraft[];
}

export function createDeltas(redactor: Redactor): Deltas {
  const held = new Map<string, Delta>();

  const push = (delta: Delta): RecordDraft[] => {
    const place = delta.taskId ?? '';
    const before = held.get(place);
    const isSame = before !== undefined && before.messageId === delta.messageId && before.index === delta.index;
    const text = isSame ? before.text + delta.text : delta.text;
    const cut = redactor.unfinished(text);
    if (cut === text.length) held.delete(place);
    else held.set(place, { ...delta, text: text.slice(cut) });
    const safe = cut === 0 ? [] : [{ ...delta, text: text.slice(0, cut) }];
    return before && !isSame ? [before, ...safe] : safe;
  };

  const flush = (place: string): RecordDraft[] => {
    const delta = held.get(place);
    held.delete(place);
    return delta ? [delta] : [];
  };

  return {
    take(draft) {
      if (draft.type === 'assistant_delta') return push(draft);
      if (held.size === 0) return [draft];
      if (draft.type === 'assistant_text' || draft.type === 'task_ended') return [...flush(draft.taskId ?? ''), draft];
      if (draft.type === 'turn_ended' || draft.type === 'process_exited') return [...[...held.keys()].flatMap(flush), draft];
      return [draft];
    },
  };
}
