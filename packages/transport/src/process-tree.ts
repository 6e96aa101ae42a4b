import { readdirSync } from 'node:fs';
import { statOf } from './process-stat.ts';

/** A process with what it started: its own group, and on Linux its descendants in groups of their own, such as tool shells. */
export interface ProcessTree {
  /** Notes the descendants that live now; once their parent is gone they cannot be found any more. */
  remember(): void;
  /** Signals the group and every noted descendant that is still the same process. */
  kill(signal: NodeJS.Signals): void;
}

export function createProcessTree(root: number): ProcessTree {
  const noted = new Map<number, string>();
  const send = (pid: number, signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch {
      // it is gone already
    }
  };
  return {
    remember() {
      for (const [pid, started] of descendants(root)) noted.set(pid, started);
    },
    kill(signal) {
      send(-root, signal);
      for (const [pid, started] of noted) if (statOf(pid)?.started === started) send(pid, signal);
    },
  };
}

/** Pids below `root` with their start times, which tell a process from a later one of the same number. */
function descendants(root: number): Map<number, string> {
  const found = new Map<number, string>();
  if (process.platform !== 'linux') return found;
  const children = new Map<number, [number, string][]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), [Number(name), stat.started]]);
  }
  const visit = (pid: number) => {
    for (const [child, started] of children.get(pid) ?? []) {
      found.set(child, started);
      visit(child);
    }
  };
  visit(root);
  return found;
}
