/** Ctrl-C, taken over. */
export interface Interrupts {
  stop(): void;
}

/** Takes Ctrl-C over until `stop`. The agent's processes are in groups of their own and hear nothing of it (E1). */
export function takeInterrupts(on: { first(): void; second(): void; third?(): void }): Interrupts {
  const steps = [on.first, on.second];
  const listener = () => (steps.shift() ?? on.third)?.();
  process.on('SIGINT', listener);
  return { stop: () => void process.off('SIGINT', listener) };
}
