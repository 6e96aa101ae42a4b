import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What each package's source may import besides its own files. Types flow up, never sideways. */
const allowed: Record<string, readonly string[]> = {
  core: ['zod', 'eventemitter3', 'p-queue'],
  transport: [
    '@native-compaction/core',
    'execa',
    'node:child_process',
    'node:fs',
    'node:fs/promises',
    'node:os',
    'node:path',
    'node:perf_hooks',
    'node:string_decoder',
    'node:timers',
  ],
  claude: ['@native-compaction/core', '@native-compaction/transport', 'zod', 'node:fs/promises', 'node:path'],
  codex: ['@native-compaction/core', '@native-compaction/transport', 'zod', 'node:path'],
  restore: ['@native-compaction/core', 'zod'],
  pi: ['@native-compaction/core', '@native-compaction/transport', 'zod', 'node:fs', 'node:os', 'node:path'],
  conformance: [
    '@copilotkit/aimock',
    'node:async_hooks',
    'node:child_process',
    'node:net',
    'node:v8',
    'node:vm',
    'node:http',
    'node:stream',
    '@native-compaction/transport',
    '@native-compaction/core',
    'node:fs',
    'node:os',
    'node:path',
  ],
  cli: [
    '@native-compaction/claude',
    '@native-compaction/codex',
    '@native-compaction/conformance',
    '@native-compaction/core',
    '@native-compaction/pi',
    '@native-compaction/pi/rpc',
    '@native-compaction/restore',
    '@native-compaction/transport',
    'cli-truncate',
    'commander',
    'ora',
    'node:crypto',
    'node:fs',
    'node:module',
    'node:os',
    'node:path',
    'node:util',
  ],
  continuity: ['@native-compaction/core', 'node:crypto', 'zod'],
};
const packages = readdirSync('packages');
const sources = packages.flatMap((name) =>
  readdirSync(join('packages', name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ name, file: join('packages', name, 'src', file) })),
);
const read = (file: string) => readFileSync(file, 'utf8');
const importsOf = (file: string) =>
  [...read(file).matchAll(/^(?:import|export)[^'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );

const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('heron'))
  .map((file) => join('examples', file));

describe('the house', () => {
  test('every package has its allow-list', () => {
    expect(Object.keys(allowed).sort()).toEqual(packages.sort());
  });

  test.each(sources)('$file imports only what its package may', ({ name, file }) => {
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) expect(allowed[name], `${file} imports ${specifier}`).toContain(specifier);
      else
        expect(relative(join('packages', name, 'src'), resolve(dirname(file), specifier)).startsWith('..'), specifier).toBe(
          false,
        );
    }
  });

  test.each(sources)('$file is one room: short, no default export, no import() type, no barrel but index.ts', ({ file }) => {
    const text = read(file);
    expect(text.split('\n').length).toBeLessThanOrEqual(201);
    expect(text).not.toMatch(/export default|import\(/);
    if (!file.endsWith('index.ts')) expect(text).not.toMatch(/^export \*/m);
  });

  test.each(examples)('%s stays on the public surface', (file) => {
    for (const specifier of importsOf(file))
      expect(specifier, file).toMatch(/^(@native-compaction\/\w+(\/rpc|\/sdk)?|node:\w+|\.\/.*)$/);
  });

  test('docs keep to one topic a file', () => {
    for (const file of readdirSync('docs')) expect(read(join('docs', file)).split('\n').length, file).toBeLessThanOrEqual(151);
  });

  test('no test is skipped or singled out', () => {
    const tests = readdirSync('.', { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(packages\/[^/]+\/)?test\/.*\.test\.ts$/.test(file),
    );
    expect(tests.length).toBeGreaterThan(10);
    for (const file of tests) expect(read(file), file).not.toMatch(/\b(?:it|test|describe)\.(?:skip|only|todo)\b/);
  });
});
