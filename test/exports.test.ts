import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Every name a package exports, types included: adding or removing one is a decision, and shows here. */
const expected = JSON.parse(readFileSync('test/exports.json', 'utf8')) as Record<string, string[]>;

test.each(Object.keys(expected))('%s exports what it says and nothing else', (name) => {
  const [folder, ...subpath] = name
    .replace('@native-compaction/', '')
    .replace(/^native-compaction$/, 'cli')
    .split('/');
  expect(exportedNames(['packages', folder, 'src', ...subpath, 'index.ts'].join('/'))).toEqual(expected[name]);
});

function exportedNames(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const names: string[] = [];
  source.forEachChild((node) => {
    if (!ts.isExportDeclaration(node) || !node.exportClause || !ts.isNamedExports(node.exportClause)) return;
    for (const element of node.exportClause.elements) names.push(element.name.text);
  });
  return names.sort();
}
