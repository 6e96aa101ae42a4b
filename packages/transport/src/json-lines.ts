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
export function createJsonLineReader<Fact = never>(
  onFrame: (frame: JsonObject | Unparsed, bytes: number) => void,
  maxBytes?: number,
  runs?: Runs<Fact>,
): LineSplitter {
  let frames: LineFrame<Fact>[] = [];
  let sizes: number[] = [];
  let isFollowed = false;
  const endRun = (isBeforeLine: boolean) => {
    if (frames.length === 0) return;
    const [run, bytes] = [frames, sizes];
    frames = [];
    sizes = [];
    isFollowed = isBeforeLine;
    runs?.onRun(run, bytes);
    isFollowed = false;
  };
  const onLine = (line: string, bytes: number) => {
    const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    if (text.charCodeAt(0) !== OPEN_BRACE && text.trim() === '') return;
    onFrame(parseObject(text) ?? new Unparsed('noise', text.slice(0, NOISE_CHARACTERS), bytes), bytes);
  };
  const onLineOfRuns = (line: string, bytes: number) => {
    const fact = line.length <= MAX_TEMPLATE_CHARACTERS ? runs?.template(line) : undefined;
    if (fact === undefined) {
      endRun(true);
      return onLine(line, bytes);
    }
    frames.push(new LineFrame(fact, line));
    sizes.push(bytes);
    if (!splitter.hasMore) endRun(false);
  };
  const onOversize = (bytes: number) => {
    endRun(true);
    onFrame(new Unparsed('oversize', '', bytes), 0);
  };
  const splitter = createLineSplitter(runs ? onLineOfRuns : onLine, onOversize, maxBytes);
  return {
    push: splitter.push,
    get hasMore() {
      return isFollowed || splitter.hasMore;
    },
    end: splitter.end,
  };
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
