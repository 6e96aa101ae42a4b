import type { RecordDraft } from '@native-compaction/core';
import { LineFrame, type Template } from './line-frame.ts';
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

/** Longer lines are parsed at once: what a template saves is the parsing of many small ones. */
const MAX_TEMPLATE_CHARACTERS = 8_192;

/** Frames that a template reads, and who gets them: as many at once as stand together in one chunk. */
export interface Runs<Fact> {
  readonly template: Template<Fact>;
  readonly onRun: (frames: readonly LineFrame<Fact>[], bytes: readonly number[]) => void;
}

/** Reads newline-delimited JSON objects from bytes. Empty lines, CR before the newline and a leading BOM are tolerated. */
export function createJsonLineReader<Fact = never>(onFrame: OnFrame, maxBytes?: number, runs?: Runs<Fact>): LineSplitter {
  return new JsonLineReader(onFrame, maxBytes, runs);
}

type OnFrame = (frame: JsonObject | Unparsed, bytes: number) => void;

class JsonLineReader<Fact> implements LineSplitter {
  readonly #onFrame: OnFrame;
  readonly #runs: Runs<Fact> | undefined;
  readonly #splitter: LineSplitter;
  #frames: LineFrame<Fact>[] = [];
  #sizes: number[] = [];
  #isFollowed = false;

  constructor(onFrame: OnFrame, maxBytes: number | undefined, runs: Runs<Fact> | undefined) {
    this.#onFrame = onFrame;
    this.#runs = runs;
    const onOversize = (bytes: number) => {
      this.#endRun(true);
      onFrame(new Unparsed('oversize', '', bytes), 0);
    };
    this.#splitter = createLineSplitter((line, bytes) => this.#onLine(line, bytes), onOversize, maxBytes);
  }

  get hasMore(): boolean {
    return this.#isFollowed || this.#splitter.hasMore;
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  end(): void {
    this.#splitter.end();
  }

  #onLine(line: string, bytes: number): void {
    const fact = line.length <= MAX_TEMPLATE_CHARACTERS ? this.#runs?.template(line) : undefined;
    if (fact === undefined) {
      this.#endRun(true);
      const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
      if (text.charCodeAt(0) !== OPEN_BRACE && text.trim() === '') return;
      return void this.#onFrame(parseObject(text) ?? new Unparsed('noise', text.slice(0, NOISE_CHARACTERS), bytes), bytes);
    }
    this.#frames.push(new LineFrame(fact, line));
    this.#sizes.push(bytes);
    if (!this.#splitter.hasMore) this.#endRun(false);
  }

  #endRun(isBeforeLine: boolean): void {
    if (this.#frames.length === 0) return;
    const [run, bytes] = [this.#frames, this.#sizes];
    this.#frames = [];
    this.#sizes = [];
    this.#isFollowed = isBeforeLine;
    this.#runs?.onRun(run, bytes);
    this.#isFollowed = false;
  }
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
