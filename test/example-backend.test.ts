import { readFileSync } from 'node:fs';
import { defineConformance } from '@native-compaction/conformance';
import { describe, expect, test } from 'vitest';
import { heronSubject } from '../examples/heron/subject.ts';

defineConformance({ describe, test: test.concurrent }, heronSubject);

test('the example backend has fewer than 300 lines', () => {
  const lines = ['state', 'frames', 'machine', 'runtime'].flatMap((name) =>
    readFileSync(`examples/heron/${name}.ts`, 'utf8').split('\n'),
  );
  expect(lines.length - 4).toBeLessThan(300);
});
