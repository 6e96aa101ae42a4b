import { readFileSync } from 'node:fs';

/** What must hold, and what we would like: `least` wants at least so much, `most` at most. */
export interface Gate {
  readonly name: string;
  readonly side: 'least' | 'most';
  readonly gate: number;
  readonly aim?: number;
  readonly unit: string;
}

/** A gate with the value of one run; `undefined` where it was not measured. */
export interface Judged {
  readonly name: string;
  readonly value: number | undefined;
  readonly gate: number;
  readonly aim?: number;
  readonly ok: boolean;
  readonly hasReachedAim?: boolean;
}

export const gates = JSON.parse(readFileSync(new URL('./gates.json', import.meta.url), 'utf8')) as readonly Gate[];

/** How far outside its gate a median must be before `bench:check` calls it a failure: the noise of a shared machine. */
export const NOISE = 0.1;

/** Judges one value; `slack` widens the gate by that share of it. What was not measured is not ok. */
export function judge({ name, side, gate, aim }: Gate, value: number | undefined, slack = 0): Judged {
  const isWithin = (limit: number, extra: number) =>
    value !== undefined && (side === 'least' ? value >= limit * (1 - extra) : value <= limit * (1 + extra));
  return {
    name,
    value: value === undefined ? undefined : Math.round(value * 1000) / 1000,
    gate,
    ...(aim === undefined ? {} : { aim, hasReachedAim: isWithin(aim, 0) }),
    ok: isWithin(gate, slack),
  };
}

/** The last line of `--json`. */
export function toJsonLine(judged: readonly Judged[]): string {
  return JSON.stringify({ gates: judged });
}

/** Reads that line back from the output of a run. Throws where there is none. */
export function parseJsonLine(output: string): readonly Judged[] {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const value: unknown = JSON.parse(last);
  const list = typeof value === 'object' && value !== null && 'gates' in value ? value.gates : undefined;
  if (!Array.isArray(list)) throw new Error('The last line holds no gates.');
  return list as readonly Judged[];
}
