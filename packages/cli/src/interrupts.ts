/** What the steps of Ctrl-C do: ask to stop, stop at once, and end this process however it stands. */
export interface InterruptSteps {
  first(): void;
  second(): void;
  third(): void;
}

/** The signals that ask this process to end, taken over. */
export interface Interrupts {
  stop(): void;
}

/** What says that nobody will press Ctrl-C a second time: a supervisor, or a terminal that was closed. */
const terminations = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Takes Ctrl-C over until `stop`, a step each time. SIGTERM and SIGHUP ask for the first two steps at once. The agent's processes are
 * in groups of their own and hear nothing of it (E1).
 */
export function takeInterrupts(on: InterruptSteps): Interrupts {
  const steps = [on.first, on.second];
  const interrupted = () => (steps.shift() ?? on.third)();
  const terminated = () => {
    const rest = steps.splice(0);
    for (const step of rest.length > 0 ? rest : [on.third]) step();
  };
  process.on('SIGINT', interrupted);
  for (const signal of terminations) process.on(signal, terminated);
  return {
    stop() {
      process.off('SIGINT', interrupted);
      for (const signal of terminations) process.off(signal, terminated);
    },
  };
}
