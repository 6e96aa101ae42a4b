import { rmSync } from 'node:fs';
import type { CompactionResult, Reconciled, Retain, Session, SessionRecord } from '@native-compaction/core';
import { createCaptureFile, type Tap } from './tap.ts';

/** A capture with a session's records and the result of its compaction beside the frames, as `native-compaction report` shows it. */
export interface EvidenceFile {
  /** For the runtime's `tap`. */
  readonly tap: Tap;
  /** For the runtime's `retain`: every frame is kept while the session is open, so that each can be told to its line. */
  readonly retain: Retain;
  /** Writes the session's records, those that are there and those to come. */
  follow(session: Session): void;
  /** The result, and the lines of this file that prove it; `prompt` is what `promptEffects` says of it, where a prompt was given. */
  result(session: Session, result: CompactionResult, prompt?: Readonly<Record<'system' | 'append', string>>): void;
  /** What the agent's own files said once its process was gone. */
  afterwards(found: Reconciled): void;
  /** Once the session is closed. */
  close(): void;
  /** In the place of `close`, where there was no session. */
  discard(): void;
  /** Why the file is not whole, if it is not. */
  readonly failure: string | undefined;
}

const everything: Retain = { frames: 1_000_000, records: 1_000_000, bytes: 1_073_741_824 };

/**
 * Creates the file at once, 0600, where nothing is yet (E4); throws `capture_failed`. A disk that fills up later stops only the file.
 * It is for one session of one runtime. Frames and records are timed by one clock.
 */
export function createEvidenceFile(path: string): EvidenceFile {
  const file = createCaptureFile(path);
  let failure: string | undefined;
  let lines = 0;
  /** When the wire was connected, on this machine's clock, which times the records. */
  let startMs = Date.now();
  /** The file's lines that hold frames, by direction: in each, they come in the order of the session's own frames. */
  const frames: Record<'in' | 'out', number[]> = { in: [], out: [] };

  const add = (line: object) => {
    if (failure !== undefined) return;
    try {
      file.add(line);
      lines += 1;
    } catch (error) {
      failure = (error as NodeJS.ErrnoException).code ?? String(error);
    }
  };
  const record = (one: SessionRecord) => add({ t: one.atMs - startMs, dir: 'record', record: one });
  return {
    retain: everything,
    tap(line) {
      if (lines === 0) startMs = Date.now() - line.t;
      add({ ...line, t: Date.now() - startMs });
      if (line.dir !== 'end') frames[line.dir].push(lines);
    },
    follow(session) {
      const { seq } = session.checkpoint().cursor;
      session.on('record', record);
      void writeUntil(seq, session, record);
    },
    result(session, result, prompt) {
      const proof = toLines(session, frames);
      const places = result.evidence.flatMap(({ frame }) => proof.get(frame) ?? []);
      add({ t: Date.now() - startMs, dir: 'result', result, ...(prompt ? { prompt } : {}), proof: places });
    },
    afterwards: (afterwards) => add({ t: Date.now() - startMs, dir: 'afterwards', afterwards }),
    close: () => file.close(),
    discard() {
      file.close();
      rmSync(path, { force: true });
    },
    get failure() {
      return failure;
    },
  };
}

/** The records from before there was a listener. */
async function writeUntil(seq: number, session: Session, write: (record: SessionRecord) => void): Promise<void> {
  if (seq === 0) return;
  for await (const record of session.records()) {
    if (record.seq <= seq) write(record);
    if (record.seq >= seq) return;
  }
}

/** Which line of the file each frame of the session is. Frames share their numbers with what is no frame. */
function toLines(session: Session, frames: Record<'in' | 'out', readonly number[]>): Map<number, number> {
  const lines = new Map<number, number>();
  const next = { in: 0, out: 0 };
  const total = frames.in.length + frames.out.length;
  for (let number = 1; next.in + next.out < total && number <= 4 * total + 1_000; number += 1) {
    const direction = session.frame(number)?.direction;
    const line = direction && frames[direction][next[direction]++];
    if (line !== undefined) lines.set(number, line);
  }
  return lines;
}
