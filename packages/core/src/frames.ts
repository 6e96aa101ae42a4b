import type { Entry } from './machine.ts';
import { createRing } from './ring.ts';
import type { Frame } from './session.ts';

/** How many controls keep the frames they name readable until dispose (contract 2). */
const PINNED_CONTROLS = 32;

/** The raw side of the log: every entry under its number, and what evidence names kept beyond the ring. */
export interface FrameLog {
  /** Numbers the entry's place; call once per entry, in order. */
  append(entry: Entry<unknown, unknown>, bytes: number): void;
  next(): number;
  frame(number: number): Frame | undefined;
  /** Keeps the named frames readable; all pins of one `holder` live and die together. */
  pin(holder: string, numbers: readonly number[]): void;
}

/** `toNative` makes the message of a frame that was not parsed when it came. */
export function createFrameLog(retain: { frames: number; bytes: number }, toNative: (frame: unknown) => unknown): FrameLog {
  const ring = createRing<Entry<unknown, unknown>>(retain.frames, retain.bytes);
  const pinned = new Map<string, Map<number, Frame>>();

  const read = (number: number): Frame | undefined => {
    const entry = ring.get(number);
    return entry && toFrame(entry, toNative);
  };

  return {
    append: (entry, bytes) => void ring.push(entry, bytes),
    next: () => ring.newest() + 1,
    frame(number) {
      const live = read(number);
      if (live) return copy(live);
      for (const frames of pinned.values()) {
        const kept = frames.get(number);
        if (kept) return copy(kept);
      }
      return undefined;
    },
    pin(holder, numbers) {
      const frames = pinned.get(holder) ?? new Map<number, Frame>();
      for (const number of numbers) {
        const frame = frames.has(number) ? undefined : read(number);
        if (frame) frames.set(number, frame);
      }
      pinned.set(holder, frames);
      const oldest = pinned.keys().next().value;
      if (pinned.size > PINNED_CONTROLS && oldest !== undefined) pinned.delete(oldest);
    },
  };
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

function toFrame(entry: Entry<unknown, unknown>, toNative: (frame: unknown) => unknown): Frame | undefined {
  if (entry.dir !== 'in' && entry.dir !== 'out') return undefined;
  const native = entry.dir === 'in' ? toNative(entry.frame) : entry.frame;
  return { number: entry.n, direction: entry.dir, native, body: { events: [native] } };
}
