import type { Redactor } from '@native-compaction/core';

/** Bytes of stderr kept, and characters of them that are shown: what stands at a cut is never among the latter. */
const KEPT_BYTES = 65_536;
const SHOWN_CHARACTERS = 4_096;

/** The end of a vendor's stderr, bounded and redacted (R9). */
export function createStderrTail(redactor: Redactor): { push(chunk: Buffer): void; text(): string } {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  return {
    push(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < 2 * KEPT_BYTES) return;
      isCut = true;
      chunks = [Buffer.concat(chunks).subarray(-KEPT_BYTES)];
      bytes = KEPT_BYTES;
    },
    text() {
      // The whole is redacted before its end is taken, so that no secret is cut in two where it could be seen.
      const clean = redactor.error(Buffer.concat(chunks).toString('utf8'));
      if (!isCut && clean.length <= SHOWN_CHARACTERS) return clean;
      return clean.slice(-SHOWN_CHARACTERS).replace(/^\S*\s/, '');
    },
  };
}
