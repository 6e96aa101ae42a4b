import type { Told } from './loop-rooms.ts';
import type { RecordDraft } from './record.ts';
import { REDACTED, type Redactor } from './redact.ts';

type Delta = Extract<RecordDraft, { type: 'assistant_delta' }>;

/** Holds back the end of a delta that may still become a secret, until more of it comes or its text is over (R9). */
export interface Deltas {
  /** What may be logged now, in order, and redacted. Everything but deltas passes through, after what it ends. */
  take(draft: RecordDraft): readonly RecordDraft[];
  /** The same for what came together. Where all of it is one text, one look for secrets does for all of it (-44 %). */
  takeRun(run: readonly Told[]): readonly Told[];
}

const KEY_BEGIN = '-----BEGIN';
const keyEnd = /-----END [A-Z ]{0,40}-----/;
/** A key that goes on for so long is not held any more, and enough of its end to see where it stops. */
const KEY_HELD = 6_000;
const KEY_TAIL = 80;

/** Where the pieces of one text come together: messages may be written side by side. */
interface Place {
  readonly taskId: string;
  readonly messageId: string;
  /** The last delta whose text was held back, with that text alone; `''` where nothing is. */
  delta: Delta | undefined;
  held: string;
  /** Inside a private key that is longer than what can be held: all of it is dropped up to its end. */
  tail: string | undefined;
}

export function createDeltas(redactor: Redactor): Deltas {
  /** Those that hold something, and the one that was written last. */
  let places: readonly Place[] = [];
  let last: Place | undefined;

  const placeOf = ({ taskId = '', messageId = '' }: Delta): Place => {
    const isIt = (place: Place) => place.taskId === taskId && place.messageId === messageId;
    if (last && isIt(last)) return last;
    const others = places.filter((place) => place.held !== '' || place.tail !== undefined || isIt(place));
    last = others.find(isIt) ?? { taskId, messageId, delta: undefined, held: '', tail: undefined };
    places = others.includes(last) ? others : [...others, last];
    return last;
  };

  const push = (given: Delta): readonly RecordDraft[] => {
    const place = placeOf(given);
    const text = outsideKey(place, given.text);
    if (text === '') return [];
    const isSame = place.held !== '' && place.delta?.index === given.index;
    const before = isSame ? [] : flush(place);
    const { shown, held } = redactor.split(isSame ? place.held : '', text);
    place.held = held;
    place.delta = held === '' ? undefined : given;
    if (shown === '') return before;
    const { taskId, messageId, index } = given;
    const delta: Delta = { type: 'assistant_delta', taskId, messageId, index, text: shown };
    return before.length === 0 ? [delta] : [...before, delta];
  };

  const outsideKey = (place: Place, text: string): string => {
    const { tail, held } = place;
    if (tail === undefined && held.length + text.length < KEY_HELD) return text;
    const all = (tail ?? held) + text;
    if (tail === undefined) {
      const begin = all.lastIndexOf(KEY_BEGIN);
      if (begin < 0 || all.length - begin < KEY_HELD || keyEnd.test(all.slice(begin))) return text;
      place.tail = all.slice(-KEY_TAIL);
      if (begin >= held.length) return text.slice(0, begin - held.length) + REDACTED;
      place.held = held.slice(0, begin);
      return REDACTED;
    }
    const end = keyEnd.exec(all);
    place.tail = end ? undefined : all.slice(-KEY_TAIL);
    return end ? all.slice(end.index + end[0].length) : '';
  };

  /** What is held of a place, as far as it has come. */
  const flush = (place: Place): readonly RecordDraft[] => {
    const { delta, held } = place;
    place.delta = undefined;
    place.held = '';
    return delta && held !== '' ? [{ ...delta, text: redactor.text(held) }] : [];
  };

  /** Ends the texts that `isOver` names, in the order in which they began. */
  const end = (isOver: (place: Place) => boolean): readonly RecordDraft[] => {
    const ended = places.filter(isOver);
    places = places.filter((place) => !ended.includes(place));
    last = undefined;
    return ended.flatMap(flush);
  };

  const take = (draft: RecordDraft): readonly RecordDraft[] => {
    if (draft.type === 'assistant_delta') return push(draft);
    if (places.length === 0) return [draft];
    if (draft.type === 'assistant_text' || draft.type === 'task_ended') {
      const { taskId = '' } = draft;
      const messageId = draft.type === 'assistant_text' ? draft.messageId : undefined;
      return [...end((place) => place.taskId === taskId && (messageId ?? place.messageId) === place.messageId), draft];
    }
    if (draft.type === 'turn_ended' || draft.type === 'process_exited') return [...end(() => true), draft];
    return [draft];
  };

  /** True if the run is one text and nothing in it, or in what is held of it, can be a secret. */
  const isCleanText = (run: readonly Told[], { taskId, messageId, index }: Delta, place: Place): boolean => {
    let all = place.held;
    for (const { draft } of run) {
      if (draft.type !== 'assistant_delta' || draft.index !== index) return false;
      if (draft.taskId !== taskId || draft.messageId !== messageId) return false;
      all += draft.text;
    }
    return place.tail === undefined && redactor.isClean(all);
  };

  return {
    take,
    takeRun(run) {
      const first = run[0]?.draft;
      const place = first?.type === 'assistant_delta' ? placeOf(first) : undefined;
      if (first?.type !== 'assistant_delta' || !place || !isCleanText(run, first, place))
        return run.flatMap(({ draft, bytes }) => take(draft).map((told) => ({ draft: told, bytes })));
      const { taskId, messageId, index } = first;
      const told: Told[] = [];
      for (const { draft, bytes } of run as readonly (Told & { readonly draft: Delta })[]) {
        if (draft.text === '') continue;
        if (place.delta !== undefined && place.delta.index !== index)
          for (const before of flush(place)) told.push({ draft: before, bytes });
        const { shown, held } = redactor.split(place.held, draft.text, true);
        place.held = held;
        place.delta = held === '' ? undefined : draft;
        if (shown !== '') told.push({ draft: { type: 'assistant_delta', taskId, messageId, index, text: shown }, bytes });
      }
      return told;
    },
  };
}
