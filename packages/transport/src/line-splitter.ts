/** Lines up to this size are delivered; a longer one is dropped and counted (E5). */
export const MAX_LINE_BYTES = 67_108_864;
/** Lines that stand together are decoded together (145 → 70 ns a delta), up to so many bytes, which each line that is kept keeps alive. */
const PIECE_BYTES = 4_096;
const NEWLINE = 10;

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** True while a further line of the same chunk waits behind the one that is being handed out. */
  readonly hasMore: boolean;
  /** Hands out what stands after the last newline, if anything. */
  end(): void;
}

/**
 * Cuts bytes at 0x0A only: U+2028, U+2029 and a lone CR are data. Partial chunks are kept in a list and joined once, so a
 * line costs its own length however many chunks it comes in.
 */
export function createLineSplitter(
  onLine: (text: string, bytes: number) => void,
  onOversize: (bytes: number) => void,
  maxBytes: number = MAX_LINE_BYTES,
): LineSplitter {
  let parts: Buffer[] = [];
  let kept = 0; // bytes in `parts`
  let skipped = 0; // bytes of a line that is being dropped
  let hasMore = false;

  const finish = (chunk: Buffer, start: number, end: number) => {
    const bytes = kept + skipped + end - start;
    if (skipped > 0 || bytes > maxBytes) onOversize(bytes);
    else if (parts.length === 0) onLine(chunk.toString('utf8', start, end), bytes);
    else onLine(Buffer.concat([...parts, chunk.subarray(start, end)], bytes).toString('utf8'), bytes);
    parts = [];
    kept = 0;
    skipped = 0;
  };

  const keep = (rest: Buffer) => {
    if (skipped > 0 || kept + rest.length > maxBytes) {
      skipped += kept + rest.length;
      parts = [];
      kept = 0;
    } else if (rest.length > 0) {
      parts.push(rest);
      kept += rest.length;
    }
  };

  /** Whole lines from `start` to the newline at `last`, decoded together where a character of them is a byte: else one by one. */
  const together = (chunk: Buffer, start: number, last: number, isEnd: boolean) => {
    const text = chunk.toString('utf8', start, last);
    if (text.length !== last - start || text.length > maxBytes) return oneByOne(chunk, start, last, isEnd);
    for (let from = 0; from <= text.length; ) {
      const at = text.indexOf('\n', from);
      const end = at === -1 ? text.length : at;
      hasMore = at !== -1 || !isEnd;
      onLine(text.slice(from, end), end - from);
      from = end + 1;
    }
  };

  const oneByOne = (chunk: Buffer, start: number, last: number, isEnd: boolean) => {
    for (let from = start; from <= last; ) {
      const at = chunk.indexOf(NEWLINE, from);
      hasMore = at < last || !isEnd;
      finish(chunk, from, at);
      from = at + 1;
    }
  };

  return {
    push(chunk) {
      const last = chunk.lastIndexOf(NEWLINE);
      let start = 0;
      while (start <= last) {
        const begun = kept + skipped > 0;
        const piece = begun ? -1 : chunk.lastIndexOf(NEWLINE, Math.min(last, start + PIECE_BYTES));
        const end = piece >= start ? piece : chunk.indexOf(NEWLINE, start);
        if (piece >= start) together(chunk, start, end, end === last);
        else oneByOne(chunk, start, end, end === last);
        start = end + 1;
      }
      keep(start === 0 ? chunk : chunk.subarray(start));
    },
    get hasMore() {
      return hasMore;
    },
    end() {
      if (kept + skipped > 0) finish(Buffer.alloc(0), 0, 0);
    },
  };
}
