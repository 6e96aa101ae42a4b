import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import type { Redactor } from '@native-compaction/core';
import { allBelow } from './files-below.ts';
import { createJsonLineReader, type JsonObject, Unparsed } from './json-lines.ts';
import { object, optional, text } from './json-values.ts';

/** A native session as the vendor's own files tell it, redacted. */
export interface StoredSession {
  /** For `open({ resume })`. */
  readonly nativeId: string;
  /** The folder it was held in. */
  readonly cwd?: string;
  /** When its file was last written. */
  readonly lastActivityMs: number;
  /** The beginning of its first prompt, on one line. */
  readonly firstWords?: string;
}

/** What a vendor's file says of its session. */
export interface StoredFacts {
  readonly nativeId: string;
  readonly cwd?: string;
  readonly firstPrompt?: string;
}

/** Where a vendor keeps its sessions, and how one file of them is read. */
export interface SessionStore {
  readonly folder: string;
  /** Which files are sessions, by their path below the folder with `/` between its parts. */
  readonly fits: RegExp;
  /** Reads no more rows than it needs; absent where the file holds no session that can be resumed. */
  read(rows: Iterable<JsonObject>): StoredFacts | undefined;
}

const FIRST_WORDS = 200;
const CHUNK_BYTES = 65_536;
/** What is asked of a file stands at its beginning. */
const MAX_HEAD_BYTES = 4 * 1024 * 1024;

/** The sessions in a store, newest first; a file is read when its session is asked for. A store that is not there is empty. */
export function* readSessionStore({ folder, fits, read }: SessionStore, redactor: Redactor): Generator<StoredSession> {
  for (const { file, lastActivityMs } of newestFirst(folder, fits)) {
    const facts = read(firstRows(file));
    if (facts === undefined) continue;
    const { nativeId, cwd, firstPrompt } = facts;
    const words = firstPrompt && redactor.text(firstPrompt).replace(/\s+/g, ' ').trim();
    yield {
      nativeId,
      lastActivityMs,
      ...optional('cwd', cwd && redactor.text(cwd)),
      ...optional('firstWords', words && [...words.slice(0, 2 * FIRST_WORDS)].slice(0, FIRST_WORDS).join('')),
    };
  }
}

function newestFirst(folder: string, fits: RegExp): { file: string; lastActivityMs: number }[] {
  const found = allBelow(folder).flatMap((file) => {
    if (!fits.test(relative(folder, file).replaceAll('\\', '/'))) return [];
    const facts = statSync(file, { throwIfNoEntry: false });
    return facts?.isFile() ? [{ file, lastActivityMs: Math.round(facts.mtimeMs) }] : [];
  });
  return found.sort((a, b) => b.lastActivityMs - a.lastActivityMs);
}

/** The objects at the beginning of a file of JSON lines; what is none is left out. */
function* firstRows(file: string): Generator<JsonObject> {
  const rows: JsonObject[] = [];
  const reader = createJsonLineReader((row) => void (row instanceof Unparsed || rows.push(row)));
  const handle = openSync(file, 'r');
  try {
    for (let total = 0; total < MAX_HEAD_BYTES; ) {
      // A new one each time: what is left of a line stays in it.
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(handle, chunk);
      total += count;
      if (count > 0) reader.push(chunk.subarray(0, count));
      else reader.end();
      yield* rows.splice(0);
      if (count === 0) return;
    }
  } finally {
    closeSync(handle);
  }
}

/** The first text of a message's content, whether it is one text or blocks. */
export function firstText(content: unknown): string | undefined {
  return Array.isArray(content) ? content.flatMap((block) => text(object(block)?.text) ?? [])[0] : text(content);
}
