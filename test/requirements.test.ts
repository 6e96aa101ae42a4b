import { readFileSync } from 'node:fs';
import { conformanceCases, faultKinds, requirements } from '@native-compaction/conformance';
import { describe, expect, test } from 'vitest';
import { promisesIn, type TestName, testNames } from './support/test-names.ts';

/** Continuity is about what a context holds, and has promises of its own. */
const isOurs = ({ file }: TestName) => !file.includes('continuity');
const live = testNames('test/live').filter(isOurs);
const units = [...testNames('packages'), ...testNames('test').filter(({ file }) => !file.startsWith('test/live/'))].filter(
  isOurs,
);
const known = new Set(requirements.map(({ promise }) => promise));
const named = ({ title, groups }: TestName) => promisesIn([...groups, title].join(' '));
const folderOf = (runtime: string) => `test/live/${runtime.replace(/-(rpc|sdk)$/, '')}/`;

describe('requirements and tests', () => {
  test('each requirement has a name of its own, and each promise has a requirement', () => {
    const ids = requirements.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const told = [...readFileSync('docs/promises.md', 'utf8').matchAll(/\*\*([RGSCTPE]\d+)\*\*/g)].map((match) => match[1]);
    expect([...known].sort()).toEqual([...new Set(told)].sort());
  });

  test.each(requirements.map((requirement) => [requirement.id, requirement] as const))('%s is shown', (id, requirement) => {
    const { promise, runtimes, shownBy, limits = {} } = requirement;
    if (shownBy === 'suite') return expect(conformanceCases.some((one) => one.requirements.includes(id))).toBe(true);
    expect(Object.keys(limits), 'only what every backend runs can have a limit').toEqual([]);
    if (shownBy === 'unit') return expect(units.filter((one) => named(one).includes(promise)).length).toBeGreaterThan(0);
    expect(runtimes?.length).toBeGreaterThan(0);
    for (const runtime of runtimes ?? []) {
      const own = live.filter(({ file }) => file.startsWith(folderOf(runtime)));
      expect(own.filter((one) => named(one).includes(promise)).length, runtime).toBeGreaterThan(0);
    }
  });

  test.each(conformanceCases.map((one) => [one.title, one] as const))('the case "%s" names what it shows', (_title, one) => {
    expect(one.requirements.length).toBeGreaterThan(0);
    for (const id of one.requirements) expect(requirements.find((each) => each.id === id)?.shownBy, id).toBe('suite');
  });

  test('every live test says which promise it is about', () => {
    const silent = live.filter((one) => named(one).length === 0).map(({ file, title }) => `${file}: ${title}`);
    expect(silent).toEqual([]);
  });

  test('no test names a promise or a kind of fault that does not exist', () => {
    for (const one of [...live, ...units]) {
      const kinds = [...one.title.matchAll(/\bK\d{1,2}\b/g)].map(([kind]) => kind);
      for (const kind of kinds) expect(Object.keys(faultKinds), one.title).toContain(kind);
      for (const promise of named(one)) expect([...known], `${one.file}: ${one.title}`).toContain(promise);
    }
  });

  test.each(Object.keys(faultKinds))('%s is played without a vendor', (kind) => {
    const played = units.filter(({ file, title }) => file.endsWith('reports.test.ts') && title.split(/\W+/).includes(kind));
    expect(played.length).toBeGreaterThan(0);
  });
});
