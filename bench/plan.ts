/** How much one run does. */
export interface Plan {
  readonly rounds: number;
  /** Long enough that the rate is what is measured, and not the compiling of what gets hot: that is told beside it, by `cold`. */
  readonly frames: { readonly delta: number; readonly mixed: number; readonly huge: number };
  readonly cold: { readonly delta: number; readonly mixed: number };
  readonly trips: number;
  readonly compactions: number;
  /** How often the deltas are written for the memory at ten times the records: 1 M and 10 M in a full run. */
  readonly repeats: { readonly few: number; readonly many: number };
  readonly sessions: number;
  readonly idle: number;
}

const full: Plan = {
  rounds: 7,
  frames: { delta: 500_000, mixed: 150_000, huge: 40 },
  cold: { delta: 200_000, mixed: 60_000 },
  trips: 4_000,
  compactions: 200,
  repeats: { few: 2, many: 20 },
  sessions: 200,
  idle: 100,
};

export const plans: Readonly<Record<'quick' | 'full' | 'long', Plan>> = {
  quick: {
    rounds: 1,
    frames: { delta: 200_000, mixed: 60_000, huge: 10 },
    cold: { delta: 20_000, mixed: 6_000 },
    trips: 1_000,
    compactions: 50,
    repeats: { few: 1, many: 4 },
    sessions: 50,
    idle: 20,
  },
  full,
  /** 1,000 sessions; needs file handles for 3,000 pipes. */
  long: { ...full, sessions: 1_000, idle: 1_000 },
};
