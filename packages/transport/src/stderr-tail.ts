import type { Redactor } from '@native-compaction/core';

/** Bytes of stderr kept, and characters of them that are shown: what stands at a cut is never among the latter. */
const KEPT_BYTES = 65_536;
const SHOWN_CHARACTERS = 4_096;

/** The end of a vendor's stderr, bounded and redacted (R9). */
export class StderrTail {
  readonly #redactor: Redactor;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 2 * KEPT_BYTES) return;
    this.#isCut = true;
    this.#chunks = [Buffer.concat(this.#chunks).subarray(-KEPT_BYTES)];
    this.#bytes = KEPT_BYTES;
  }

  text(): string {
    // The whole is redacted before its end is taken, so that no secret is cut in two where it could be seen.
    const clean = this.#redactor.error(Buffer.concat(this.#chunks).toString('utf8'));
    if (!this.#isCut && clean.length <= SHOWN_CHARACTERS) return clean;
    return clean.slice(-SHOWN_CHARACTERS).replace(/^\S*\s/, '');
  }
}
