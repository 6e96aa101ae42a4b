import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The copy in which the tests run. What lies in `node_modules` is linked to the workspace itself, which holds no mutants. */
const root = resolve('.');
const alias = readdirSync(join(root, 'packages')).flatMap((name) => {
  const source = join(root, 'packages', name, 'src');
  return ['', ...['/rpc', '/sdk'].filter((path) => existsSync(join(source, path)))].map((path) => ({
    find: new RegExp(`^@native-compaction/${name}${path}$`),
    replacement: join(source, path, 'index.ts'),
  }));
});

/** The first test that fails ends the run of a mutant, so the enumeration comes last, and short files before long ones. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const cost = ({ moduleId }: TestSpecification) =>
      moduleId.includes('enumeration') ? Number.POSITIVE_INFINITY : statSync(moduleId).size;
    return files.sort((a, b) => cost(a) - cost(b));
  }
}

export default defineConfig({
  root,
  resolve: { alias, conditions: ['@native-compaction/source', 'node', 'import', 'module', 'default'] },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(';'),
    testTimeout: 2_000, // many a fault leaves something unsettled
    sequence: { sequencer: QuickestFirst },
    fsModuleCache: false,
  },
});
