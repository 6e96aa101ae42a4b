import { type Checkpoint, reduceView, resumedView, type SessionView } from './checkpoint.ts';
import { RecordLog } from './readers.ts';
import type { RecordDraft, SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import { redactRecord } from './redact-record.ts';
import type { Cursor } from './session.ts';

type Delta = Extract<RecordDraft, { type: 'assistant_delta' }>;

/** What the journal needs from its neighbours. */
export interface JournalDeps {
  readonly id: string;
  readonly redactor: Redactor;
  /** True once the caller of this request has its result: news of it is then late (T7). */
  isLate(requestId: string): boolean;
  /** A reader took a record or left. */
  updatePause(): void;
}

/** The record side of one session: every draft is redacted, numbered, logged and folded into the view, once. */
export class Journal {
  readonly log: RecordLog;
  readonly #deps: JournalDeps;
  #view: SessionView;
  #seq = 0;
  #isClosed = false;

  constructor(
    deps: JournalDeps,
    retain: { readonly records: number; readonly bytes: number },
    checkpoint: Checkpoint | undefined,
  ) {
    this.#deps = deps;
    this.log = new RecordLog(deps.id, retain, () => deps.updatePause());
    this.#view = resumedView(checkpoint);
  }

  get view(): SessionView {
    return this.#view;
  }

  /** The record as it was logged; undefined once the journal is closed. */
  publish(draft: RecordDraft, bytes: number, atMs: number): SessionRecord | undefined {
    if (this.#isClosed) return undefined;
    this.#seq += 1;
    const record = Object.freeze(draft.type === 'assistant_delta' ? this.#toDelta(draft, atMs) : this.#toRecord(draft, atMs));
    this.log.append(record, bytes);
    if (record.type !== 'assistant_delta' || record.taskId !== undefined) this.#view = reduceView(this.#view, record);
    return record;
  }

  close(): void {
    this.#isClosed = true;
    this.log.close();
  }

  #toRecord(draft: RecordDraft, atMs: number): SessionRecord {
    const { id, redactor } = this.#deps;
    const late = 'requestId' in draft && draft.requestId !== undefined && this.#deps.isLate(draft.requestId);
    return { log: id, seq: this.#seq, atMs, ...(late ? { late: true } : {}), ...redactRecord(draft, redactor) };
  }

  /** Redacted where it was cut, and spelled out: 59 ns, where copying its members takes 127. */
  #toDelta({ taskId, messageId, index, text }: Delta, atMs: number): SessionRecord {
    const record: { -readonly [K in keyof Delta]?: Delta[K] } & Cursor & { atMs: number } = {
      log: this.#deps.id,
      seq: this.#seq,
      atMs,
    };
    record.type = 'assistant_delta';
    if (taskId !== undefined) record.taskId = taskId;
    if (messageId !== undefined) record.messageId = messageId;
    if (index !== undefined) record.index = index;
    record.text = text;
    return record as SessionRecord;
  }
}
