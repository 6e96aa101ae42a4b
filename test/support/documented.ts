import { readFileSync } from 'node:fs';

/** What is the agent's own and has names of its own. */
const native = ['frame', 'ids'];

/** The names in what a command prints with `--json` that its section of the documentation does not tell of. */
export function undocumented(command: string, value: unknown): string[] {
  const page = readFileSync('docs/cli-json.md', 'utf8');
  const section = page.split('\n## ').find((one) => one.startsWith(`${command}\n`)) ?? '';
  return [...new Set(namesIn(value))].filter((name) => !section.match(new RegExp(`\`(?:\\{[^\`]*)?\\b${name}\\b`)));
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(native.includes(name) ? [] : namesIn(inner))]);
}
