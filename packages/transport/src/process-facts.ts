import { readdirSync } from 'node:fs';
import type { VendorProcess } from '@native-compaction/core';
import { statOf } from './process-stat.ts';

/** A process as it can be found again later: its number and, on Linux, the mark of its start. */
export function toVendorProcess(pid: number): VendorProcess {
  const started = statOf(pid)?.started;
  return { pid, ...(started === undefined ? {} : { started }) };
}

/**
 * False only if the process is gone for sure, and with `isGroup` every process of its group too. A number that now belongs to
 * another process, and a dead one that nobody has collected, are gone; what cannot be known may be alive.
 */
export function mayBeAlive(vendor: VendorProcess | undefined, isGroup = true): boolean {
  if (!vendor) return true;
  const { pid, started } = vendor;
  if (process.platform !== 'linux' || started === undefined) return answers(isGroup && process.platform !== 'win32' ? -pid : pid);
  const leader = statOf(pid);
  // The system gives a number to nobody else while a group bears it.
  if (leader && leader.started !== started) return false;
  if (leader && !leader.isDead) return true;
  return isGroup && hasMembers(pid);
}

function answers(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== 'ESRCH';
  }
}

function hasMembers(group: number): boolean {
  return readdirSync('/proc').some((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    return stat?.group === group && !stat.isDead;
  });
}
