import { type Checkpoint, reduceView, resumedView, type SessionView } from './checkpoint.ts';
import type { Clock } from './clock.ts';
import { createRecordLog, type RecordLog } from './readers.ts';
import type { RecordDraft, SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import { redactRecord } from './redact-record.ts';

/** The record side of one session: every draft is redacted, numbered, logged and folded into the view, once. */
export interface Journal {
  /** The record as it was logged; undefined once the journal is closed. */
  publish(draft: RecordDraft, bytes: number): SessionRecord | undefined;
  readonly view: SessionView;
  readonly log: RecordLog;
  close(): void;
}

export interface JournalDeps {
  readonly id: string;
  readonly retain: { readonly records: number; readonly bytes: number };
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly checkpoint: Checkpoint | undefined;
  /** True once the caller of this request has its result: news of it is then late (T7). */
  readonly isLate: (requestId: string) => boolean;
  readonly onReaderMoved: () => void;
}

export function createJournal({ id, retain, redactor, clock, checkpoint, isLate, onReaderMoved }: JournalDeps): Journal {
  const log = createRecordLog(id, retain, onReaderMoved);
  let view = resumedView(checkpoint);
  let seq = 0;
  let isClosed = false;

  return {
    publish(draft, bytes) {
      if (isClosed) return undefined;
      seq += 1;
      const late = 'requestId' in draft && draft.requestId !== undefined && isLate(draft.requestId);
      const position = { log: id, seq, atMs: clock.now(), ...(late ? { late: true as const } : {}) };
      const record = Object.freeze({ ...position, ...redactRecord(draft, redactor) }) as SessionRecord;
      log.append(record, bytes);
      view = reduceView(view, record);
      return record;
    },
    get view() {
      return view;
    },
    log,
    close() {
      isClosed = true;
      log.close();
    },
  };
}
