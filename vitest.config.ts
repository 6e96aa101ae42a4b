import { defineConfig } from 'vitest/config';

/** Packages are imported as source, so no build is needed to test. */
const conditions = ['@native-compaction/source', 'node', 'import', 'module', 'default'];
const shared = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };

export default defineConfig({
  ...shared,
  test: {
    maxWorkers: 2,
    projects: [
      { ...shared, test: { name: 'pure', include: ['packages/*/test/**/*.test.ts', 'test/*.test.ts'], testTimeout: 60_000 } },
      {
        ...shared,
        test: { name: 'live', include: ['test/live/**/*.test.ts'], pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000 },
      },
    ],
  },
});
