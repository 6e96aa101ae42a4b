import { readFileSync } from 'node:fs';

/** What Linux says of a process; `started` tells it from a later one of the same number. */
export interface ProcessStat {
  readonly parent: number;
  readonly group: number;
  readonly started: string;
  /** It has ended and waits to be collected. */
  readonly isDead: boolean;
}

/** Undefined where there is no such process, or no such system. */
export function statOf(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and parentheses; the fields after it do not.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const isDead = fields[0] === 'Z' || fields[0] === 'X';
    return { parent: Number(fields[1]), group: Number(fields[2]), started: fields[19] ?? '', isDead };
  } catch {
    return undefined;
  }
}
