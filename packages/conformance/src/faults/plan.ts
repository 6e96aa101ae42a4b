/** Faults that leave the proof whole: the result must be what it would have been. */
export const harmlessKinds = ['split', 'delay', 'garbage', 'crlf', 'lone_cr', 'separators', 'multibyte', 'bom'] as const;
/** Faults that may cost the proof, and never the truth. */
export const harmfulKinds = ['duplicate', 'swap', 'drop', 'oversize', 'stall', 'kill', 'truncate'] as const;
export type FaultKind = (typeof harmlessKinds)[number] | (typeof harmfulKinds)[number];

/** What happens to one frame that the vendor wrote after a command; `frame` counts from 1, `value` places it inside the frame. */
export interface Fault {
  readonly kind: FaultKind;
  readonly frame: number;
  readonly value: number;
}

/** The faults of each command that passes, in order. */
export type Rounds = readonly (readonly Fault[])[];

/** Numbers between 0 and 1 that are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface PlanOptions {
  readonly kinds: readonly FaultKind[];
  /** How many commands are disturbed. */
  readonly rounds: number;
  /** The faults of one command. */
  readonly faults: number;
  /** The last frame that may be disturbed. */
  readonly frames: number;
}

/** A plan that one number reproduces. */
export function planFaults(seed: number, { kinds, rounds, faults, frames }: PlanOptions): Rounds {
  const random = createRandom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  return Array.from({ length: rounds }, () =>
    Array.from({ length: faults }, (): Fault => {
      const kind = kinds[pick(kinds.length)] ?? 'split';
      return { kind, frame: 1 + pick(frames), value: pick(1_000) };
    }),
  );
}
