import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Packages are imported as source, so no build is needed to test. */
const conditions = ['@native-compaction/source', 'node', 'import', 'module', 'default'];
/** What a test of a mutant asks for: one string of one file replaced, in the run it starts (test/mutants). */
const mutant = JSON.parse(process.env.MUTANT ?? 'null') as { file: string; find: string; replace: string } | null;
const mutation: Plugin = {
  name: 'mutation',
  enforce: 'pre',
  transform: (code, id) => (mutant && id.endsWith(`/${mutant.file}`) ? code.split(mutant.find).join(mutant.replace) : undefined),
};
const shared = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };

/** The command line is shown on the newest pins, in a lane of its own; what else is the same on every version, in theirs. */
const files = (...names: string[]) => names.map((name) => `test/live/${name}.test.ts`);
const command = files('cli', 'cli-conformance', 'packed-cli');
const left: Readonly<Record<string, readonly string[]>> = {
  newest: command,
  matrix: files('demo', 'packed-cli', 'cli-conformance'),
};
const lane = process.env.LANE ?? '';

/** Files with long waits start first, so that the others run beside them. */
const slowest = ['packed-cli', 'heartbeat', 'pi/outcomes', 'enumeration', 'death', 'cancellation', 'provider'];
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = slowest.findIndex((name) => moduleId.includes(name));
      return place < 0 ? slowest.length : place;
    };
    return files.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  ...shared,
  plugins: [mutation],
  test: {
    fsModuleCache: mutant === null, // it would keep a mutant for later runs
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { ...shared, test: { name: 'pure', include: ['packages/*/test/**/*.test.ts', 'test/*.test.ts'], testTimeout: 60_000 } },
      { ...shared, test: { name: 'mutants', include: ['test/mutants/*.test.ts'] } },
      {
        ...shared,
        test: {
          name: 'live',
          include: lane === 'command' ? command : ['test/live/**/*.test.ts'],
          exclude: [...(left[lane] ?? [])],
          pool: 'forks',
          maxConcurrency: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
