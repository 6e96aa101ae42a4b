import type { RecordDraft } from '@native-compaction/core';
import { createLineSplitter, type LineSplitter } from './line-splitter.ts';

/** A line that is no JSON object, or one that was too long to keep. It takes the place of a frame and proves nothing. */
export class Unparsed {
  readonly kind: 'noise' | 'oversize';
  /** The line, or the beginning of a very long one: raw, to be redacted before it is cut or shown. Empty for an oversize one. */
  readonly text: string;
  readonly bytes: number;

  constructor(kind: 'noise' | 'oversize', text: string, bytes: number) {
    this.kind = kind;
    this.text = text;
    this.bytes = bytes;
  }
}

/** The record of a line that is no frame, for the entry `frame`. */
export function unparsedRecord({ kind, text, bytes }: Unparsed, frame: number): RecordDraft {
  return kind === 'oversize' ? { type: 'oversize', frame, bytes } : { type: 'unparsed', frame, text, bytes };
}

/** A native message of a line protocol: any JSON object. */
export type JsonObject = { readonly [name: string]: unknown };

const OPEN_BRACE = 123;
/** Far more than anybody is shown, so that no secret is cut in two where it could be seen. */
const NOISE_CHARACTERS = 65_536;

/** Reads newline-delimited JSON objects from bytes. Empty lines, CR before the newline and a leading BOM are tolerated. */
export function createJsonLineReader(
  onFrame: (frame: JsonObject | Unparsed, bytes: number) => void,
  maxBytes?: number,
): LineSplitter {
  return createLineSplitter(
    (line, bytes) => {
      const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
      if (text.charCodeAt(0) !== OPEN_BRACE && text.trim() === '') return;
      onFrame(parseObject(text) ?? new Unparsed('noise', text.slice(0, NOISE_CHARACTERS), bytes), bytes);
    },
    (bytes) => onFrame(new Unparsed('oversize', '', bytes), 0),
    maxBytes,
  );
}

/** One frame as a line. Line separators that some readers split at are escaped; the JSON value is the same. */
export function toJsonLine(frame: unknown): string {
  return `${JSON.stringify(frame).replace(/[\u2028\u2029]/g, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'))}\n`;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
