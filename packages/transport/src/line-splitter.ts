/** Lines up to this size are delivered; a longer one is dropped and counted (E5). */
export const MAX_LINE_BYTES = 67_108_864;

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

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(10); at !== -1; ) {
        const next = chunk.indexOf(10, at + 1);
        hasMore = next !== -1;
        finish(chunk, start, at);
        start = at + 1;
        at = next;
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
