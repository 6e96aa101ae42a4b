import type { RecordDraft } from './record.ts';
import { REDACTED, type Redactor } from './redact.ts';

type Delta = Extract<RecordDraft, { type: 'assistant_delta' }>;

/** Holds back the end of a delta that may still become a secret, until more of it comes or its text is over (R9). */
export interface Deltas {
  /** What may be logged now, in order. Everything but deltas passes through, after what it ends. */
  take(draft: RecordDraft): readonly RecordDraft[];
}

const KEY_BEGIN = '-----BEGIN';
const keyEnd = /-----END [A-Z ]{0,40}-----/;
/** A key that goes on for so long is not held any more, and enough of its end to see where it stops. */
const KEY_HELD = 6_000;
const KEY_TAIL = 80;

/** Where the pieces of one text come together: messages may be written side by side. */
function placeOf({
  taskId = '',
  messageId = '',
}: {
  readonly taskId?: string | undefined;
  readonly messageId?: string | undefined;
}) {
  return `${taskId}\n${messageId}`;
}

export function createDeltas(redactor: Redactor): Deltas {
  const held = new Map<string, Delta>();

  /** Inside a private key that is longer than what can be held: all of it is dropped up to its end. */
  const dropping = new Map<string, string>();

  const push = (given: Delta): RecordDraft[] => {
    const place = placeOf(given);
    const delta = { ...given, text: outsideKey(place, given.text) };
    if (delta.text === '') return [];
    const before = held.get(place);
    const isSame = before !== undefined && before.messageId === delta.messageId && before.index === delta.index;
    const text = isSame ? before.text + delta.text : delta.text;
    const cut = redactor.unfinished(text);
    if (cut === text.length) held.delete(place);
    else held.set(place, { ...delta, text: text.slice(cut) });
    const safe = cut === 0 ? [] : [{ ...delta, text: text.slice(0, cut) }];
    return before && !isSame ? [before, ...safe] : safe;
  };

  const outsideKey = (place: string, text: string): string => {
    const tail = dropping.get(place);
    const begun = tail ?? held.get(place)?.text ?? '';
    // Without a dash there is no key, and nothing to put together.
    if (tail === undefined && !text.includes('-') && !begun.includes('-')) return text;
    const all = begun + text;
    if (tail === undefined) {
      const begin = all.lastIndexOf(KEY_BEGIN);
      if (begin < 0 || all.length - begin < KEY_HELD || keyEnd.test(all.slice(begin))) return text;
      dropping.set(place, all.slice(-KEY_TAIL));
      const before = held.get(place)?.text.length ?? 0;
      if (begin < before) {
        const kept = held.get(place);
        if (kept) held.set(place, { ...kept, text: kept.text.slice(0, begin) });
        return REDACTED;
      }
      return text.slice(0, begin - before) + REDACTED;
    }
    const end = keyEnd.exec(all);
    if (!end) {
      dropping.set(place, all.slice(-KEY_TAIL));
      return '';
    }
    dropping.delete(place);
    return all.slice(end.index + end[0].length);
  };

  const places = () => [...new Set([...held.keys(), ...dropping.keys()])];

  const flush = (place: string): RecordDraft[] => {
    const delta = held.get(place);
    held.delete(place);
    dropping.delete(place);
    return delta ? [delta] : [];
  };

  return {
    take(draft) {
      if (draft.type === 'assistant_delta') return push(draft);
      if (held.size + dropping.size === 0) return [draft];
      if (draft.type === 'assistant_text' && draft.messageId !== undefined) return [...flush(placeOf(draft)), draft];
      if (draft.type === 'assistant_text' || draft.type === 'task_ended') {
        const task = placeOf({ taskId: draft.taskId });
        return [...places().flatMap((place) => (place.startsWith(task) ? flush(place) : [])), draft];
      }
      if (draft.type === 'turn_ended' || draft.type === 'process_exited') return [...places().flatMap(flush), draft];
      return [draft];
    },
  };
}
