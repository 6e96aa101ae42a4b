import type { Vendor } from '../vendor/build.ts';

/** What one process measured. */
export type Figures = Readonly<Record<string, number>>;

export interface Setup {
  readonly vendor: Vendor;
  readonly contestant: string;
  readonly count: number;
}
/** Measures one thing in this process, which nothing else uses. */
export type Probe = (setup: Setup) => Promise<Figures>;

/** Processor time of this process since `since`, in microseconds: user and system, with its GC threads. */
export function cpuUs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

/** The heap after a full collection. */
export function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
