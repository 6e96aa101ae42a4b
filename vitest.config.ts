import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Packages are imported as source, so no build is needed to test. */
const conditions = ['@native-compaction/source', 'node', 'import', 'module', 'default'];
const shared = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };

/** Files with long waits start first, so that the others run beside them. */
const slowest = ['heartbeat', 'pi/outcomes', 'enumeration', 'death', 'cancellation', 'provider'];
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
  test: {
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { ...shared, test: { name: 'pure', include: ['packages/*/test/**/*.test.ts', 'test/*.test.ts'], testTimeout: 60_000 } },
      {
        ...shared,
        test: {
          name: 'live',
          include: ['test/live/**/*.test.ts'],
          // The demo is about the newest version alone.
          exclude: process.env.VENDORS === 'matrix' ? ['test/live/demo.test.ts'] : [],
          pool: 'forks',
          maxConcurrency: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
