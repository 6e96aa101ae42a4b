import { rmSync } from 'node:fs';
import type { CompactionResult, Reconciled, Session, SessionRecord } from '@native-compaction/core';
import type { PromptEffects } from '@native-compaction/restore';
import { createCaptureFile, type Tap } from '@native-compaction/transport';

/** A capture with the session's records and the result beside the frames, for `report`. */
export interface EvidenceFile {
  readonly tap: Tap;
  record(record: SessionRecord): void;
  /** The result, and the lines of this file that prove it. */
  result(session: Session, result: CompactionResult, prompt: PromptEffects): void;
  /** What the agent's own files said once its process was gone. */
  afterwards(found: Reconciled): void;
  close(): void;
  /** In the place of `close`, where there was no session. */
  discard(): void;
  /** Why the file is not whole, if it is not. */
  readonly failure: string | undefined;
}

/** Creates the file at once, so that nothing is started where it cannot be. A disk that fills up later stops only the file. */
export function createEvidenceFile(path: string): EvidenceFile {
  const file = createCaptureFile(path);
  let failure: string | undefined;
  let lines = 0;
  /** When the wire was connected, on this machine's clock. */
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
  return {
    tap(line) {
      if (lines === 0) startMs = Date.now() - line.t;
      add(line);
      if (line.dir !== 'end') frames[line.dir].push(lines);
    },
    record: (record) => add({ t: record.atMs - startMs, dir: 'record', record }),
    result(session, result, prompt) {
      const proof = toLines(session, frames);
      add({
        t: Date.now() - startMs,
        dir: 'result',
        result,
        prompt,
        proof: result.evidence.flatMap(({ frame }) => proof.get(frame) ?? []),
      });
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
