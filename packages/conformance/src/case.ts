import type { Subject } from './subject.ts';
import type { Trial } from './trial.ts';

/** One thing every backend must do, with the requirements it shows. */
export interface ConformanceCase {
  readonly title: string;
  readonly requirements: readonly string[];
  /** Why it says nothing about this backend, if so. */
  readonly exempts?: ((subject: Subject) => string | undefined) | undefined;
  /** The vendor compacts by itself in the lab of this case. */
  readonly automatic?: boolean;
  run(trial: Trial): Promise<void>;
}

/** For cases about processes and bytes. */
export function needsProcess(subject: Subject): string | undefined {
  return subject.command ? undefined : 'It runs in the process of its host.';
}
