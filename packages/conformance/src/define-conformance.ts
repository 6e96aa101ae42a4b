import type { ConformanceCase } from './case.ts';
import { runCase } from './report.ts';
import { requirementOf } from './requirements.ts';
import type { Subject } from './subject.ts';
import { conformanceCases } from './suite.ts';
import { shown } from './violation.ts';

/** The two functions of a test runner that the suite is defined with: vitest's, or any of the same shape. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: (name: string, run: () => Promise<void>) => unknown;
}

/** Defines the suite as tests, one a case, each named after the promises it shows. Cases that do not apply are not defined. */
export function defineConformance(
  { describe, test }: TestRunner,
  subject: Subject,
  { cases = conformanceCases }: { readonly cases?: readonly ConformanceCase[] } = {},
): void {
  describe(`${subject.runtime} ${subject.version} conforms`, () => {
    for (const one of cases) {
      if (one.exempts?.(subject) !== undefined) continue;
      test(`${promisesOf(one).join(' ')} ${one.title}`, async () => {
        const { outcome, broken, message, frames = [] } = await runCase(subject, one);
        if (outcome === 'passed' || outcome === 'limit') return;
        const passed = frames.map(({ dir, frame }) => `  ${dir} ${shown(frame)}`).join('\n');
        throw new Error(`${broken ? `${broken.promise} is broken: ` : ''}${message}\n${passed}`);
      });
    }
  });
}

/** The promises that a case is about, each once. */
export function promisesOf({ requirements }: Pick<ConformanceCase, 'requirements'>): string[] {
  return [...new Set(requirements.map((id) => requirementOf(id).promise))];
}
