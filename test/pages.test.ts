import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs').map((name) => join('docs', name)),
  ...readdirSync('packages').map((name) => join('packages', name, 'README.md')),
];
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('the backend of the examples is as short as it is said to be', () => {
  const [, most = '0'] = /fewer than (\d+) lines together/.exec(readFileSync('docs/adding-a-backend.md', 'utf8')) ?? [];
  const lines = ['state', 'frames', 'machine', 'runtime'].map(
    (name) => readFileSync(`examples/heron/${name}.ts`, 'utf8').split('\n').length - 1,
  );
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(Number(most));
});

test('every example is named where a reader looks for it', () => {
  const told = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
  for (const name of readdirSync('examples').filter((file) => file.endsWith('.ts'))) expect(told, name).toContain(name);
});

test.each(pages)('every link of %s leads to something that is there', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  for (const link of links.filter((one) => !/^[a-z]+:/.test(one))) {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    expect(existsSync(file), `${page}: ${link}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(file), `${page}: ${link}`).toContain(anchor);
  }
});
