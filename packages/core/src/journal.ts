import { type Checkpoint, reduceView, resumedView, type SessionView } from './checkpoint.ts';
import { createRecordLog, type RecordLog } from './readers.ts';
import type { RecordDraft, SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import { redactRecord } from './redact-record.ts';
import type { Cursor } from './session.ts';

type Delta = Extract<RecordDraft, { type: 'assistant_delta' }>;

/** The record side of one session: every draft is redacted, numbered, logged and folded into the view, once. */
export interface Journal {
  /** The record as it was logged; undefined once the journal is closed. */
  publish(draft: RecordDraft, bytes: number, atMs: number): SessionRecord | undefined;
  readonly view: SessionView;
  readonly log: RecordLog;
  close(): void;
}

export interface JournalDeps {
  readonly id: string;
  readonly retain: { readonly records: number; readonly bytes: number };
  readonly redactor: Redactor;
  readonly checkpoint: Checkpoint | undefined;
  /** True once the caller of this request has its result: news of it is then late (T7). */
  readonly isLate: (requestId: string) => boolean;
  readonly onReaderMoved: () => void;
}

export function createJournal({ id, retain, redactor, checkpoint, isLate, onReaderMoved }: JournalDeps): Journal {
  const log = createRecordLog(id, retain, onReaderMoved);
  let view = resumedView(checkpoint);
  let seq = 0;
  let isClosed = false;

  const toRecord = (draft: RecordDraft, atMs: number): SessionRecord => {
    const late = 'requestId' in draft && draft.requestId !== undefined && isLate(draft.requestId);
    return { log: id, seq, atMs, ...(late ? { late: true } : {}), ...redactRecord(draft, redactor) };
  };
  /** Redacted where it was cut, and spelled out: 59 ns, where copying its members takes 127. */
  const toDelta = ({ taskId, messageId, index, text }: Delta, atMs: number): SessionRecord => {
    const record: { -readonly [K in keyof Delta]?: Delta[K] } & Cursor & { atMs: number } = { log: id, seq, atMs };
    record.type = 'assistant_delta';
    if (taskId !== undefined) record.taskId = taskId;
    if (messageId !== undefined) record.messageId = messageId;
    if (index !== undefined) record.index = index;
    record.text = text;
    return record as SessionRecord;
  };

  return {
    publish(draft, bytes, atMs) {
      if (isClosed) return undefined;
      seq += 1;
      const record = Object.freeze(draft.type === 'assistant_delta' ? toDelta(draft, atMs) : toRecord(draft, atMs));
      log.append(record, bytes);
      if (record.type !== 'assistant_delta' || record.taskId !== undefined) view = reduceView(view, record);
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
