import type { Entry } from './machine.ts';
import { Ring } from './ring.ts';
import type { Frame } from './session.ts';

/** How many controls keep the frames they name readable until dispose (contract 2). */
const PINNED_CONTROLS = 32;

type AnyEntry = Entry<unknown, unknown>;
type ToNative = (frame: unknown) => unknown;

/** The raw side of the log: every entry under its number, and what evidence names kept beyond the ring. */
export class FrameLog {
  readonly #ring: Ring<AnyEntry>;
  readonly #toNative: ToNative;
  #pinned: Map<string, Map<number, Frame>> | undefined;

  /** `toNative` makes the message of a frame that was not parsed when it came. */
  constructor(retain: { frames: number; bytes: number }, toNative: ToNative) {
    this.#ring = new Ring(retain.frames, retain.bytes);
    this.#toNative = toNative;
  }

  /** Numbers the entry's place; call once per entry, in order. */
  append(entry: AnyEntry, bytes: number): void {
    this.#ring.push(entry, bytes);
  }

  next(): number {
    return this.#ring.newest + 1;
  }

  frame(number: number): Frame | undefined {
    const live = this.#read(number);
    if (live) return copy(live);
    for (const frames of this.#pinned?.values() ?? []) {
      const kept = frames.get(number);
      if (kept) return copy(kept);
    }
    return undefined;
  }

  /** Keeps the named frames readable; all pins of one `holder` live and die together. */
  pin(holder: string, numbers: readonly number[]): void {
    this.#pinned ??= new Map();
    const frames = this.#pinned.get(holder) ?? new Map<number, Frame>();
    for (const number of numbers) {
      const frame = frames.has(number) ? undefined : this.#read(number);
      if (frame) frames.set(number, frame);
    }
    this.#pinned.set(holder, frames);
    const oldest = this.#pinned.keys().next().value;
    if (this.#pinned.size > PINNED_CONTROLS && oldest !== undefined) this.#pinned.delete(oldest);
  }

  #read(number: number): Frame | undefined {
    const entry = this.#ring.get(number);
    return entry && toFrame(entry, this.#toNative);
  }
}

/** What a caller gets is its own; the log's frames are never altered (T6). */
function copy({ number, direction, native }: Frame): Frame {
  let own: unknown;
  try {
    own = structuredClone(native);
  } catch {
    own = native; // nested too deep to be copied
  }
  return { number, direction, native: own, body: { events: [own] } };
}

function toFrame(entry: AnyEntry, toNative: ToNative): Frame | undefined {
  if (entry.dir !== 'in' && entry.dir !== 'out') return undefined;
  const native = entry.dir === 'in' ? toNative(entry.frame) : entry.frame;
  return { number: entry.n, direction: entry.dir, native, body: { events: [native] } };
}
