import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** One test as it is written, with the names of the groups around it. */
export interface TestName {
  readonly file: string;
  readonly title: string;
  readonly groups: readonly string[];
}

/** Every test below a folder, read off the source: nothing is run. */
export function testNames(folder: string): TestName[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .flatMap((name) => namesIn(`${folder}/${name}`));
}

function namesIn(file: string): TestName[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: TestName[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? { what: nameOf(node.expression), title: node.arguments[0] } : undefined;
    const title = call?.title && ts.isStringLiteralLike(call.title) ? call.title.text : undefined;
    if (title !== undefined && call?.what === 'test') found.push({ file, title, groups });
    const inner = title !== undefined && call?.what === 'describe' ? [...groups, title] : groups;
    node.forEachChild((child) => visit(child, inner));
  };
  visit(source, []);
  return found;
}

/** `test` of `test(…)` and of `test.each(…)(…)`. */
function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression)) return nameOf(expression.expression);
  return '';
}

/** The numbers of promises that a text names. */
export function promisesIn(text: string): string[] {
  return [...text.matchAll(/\b[RGSCTPE]\d{1,2}\b/g)].map(([number]) => number);
}
