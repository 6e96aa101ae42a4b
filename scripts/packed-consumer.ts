import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Packs every package, installs the packs in a clean folder, and uses every exported name there: strictly typed, and run. */
const exported = JSON.parse(readFileSync('test/exports.json', 'utf8')) as Record<string, string[]>;
const folder = mkdtempSync(join(tmpdir(), 'native-compaction-consumer-'));
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
};
/** What the types must refuse; a line that compiles is an error by itself. */
const mistakes = `
import { type AgentStatus, type CompactionResult, reduceStatus, type SessionRecord, type StatusState, statusValue } from '@native-compaction/core';
declare const state: StatusState;
declare const status: AgentStatus;
declare const record: SessionRecord;
declare const result: CompactionResult;
reduceStatus(state, record);
statusValue(state);
// @ts-expect-error a display value is not the state
reduceStatus(status, record);
// @ts-expect-error a display value is not the state
statusValue(status);
// @ts-expect-error a completed result has at least one piece of evidence
export const empty: Extract<CompactionResult, { status: 'completed' }>['evidence'] = [];
// @ts-expect-error only a rejected, failed or unconfirmed result has a reason
export const reason: string = result.reason;
`;
const run = (command: string, args: string[], cwd = folder) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

try {
  run(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build.ts'], '.');
  const packs = readdirSync('packages').map((name) => {
    const cwd = resolve('packages', name);
    run('npx', ['publint', '--strict', '--pack', 'npm', cwd], '.');
    run('npx', ['attw', '--pack', '--profile', 'esm-only', cwd], '.');
    const [pack] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], cwd)) as {
      name: string;
      filename: string;
      files: { path: string }[];
    }[];
    for (const path of ['README.md', 'LICENSE'])
      if (!pack?.files.some((entry) => entry.path === path)) throw new Error(`The pack of ${name} has no ${path}.`);
    return [pack?.name ?? name, `file:${pack?.filename}`] as const;
  });
  // The packs stand for each other too: nobody is asked for a package of ours that is not published.
  const dependencies = Object.fromEntries(packs);
  const overrides = Object.fromEntries(packs.map(([name]) => [name, `$${name}`]));
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies, overrides };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts', 'mistakes.ts'] }));
  writeFileSync(join(folder, 'consumer.ts'), consumer());
  writeFileSync(join(folder, 'mistakes.ts'), mistakes);
  writeFileSync(join(folder, 'run.mjs'), program());
  run(
    process.execPath,
    [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--typeRoots', resolve('node_modules/@types')],
    folder,
  );
  console.log(run(process.execPath, ['run.mjs']).trim());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Imports every name, as a type where it is one. */
function consumer(): string {
  return Object.entries(exported)
    .map(
      ([name, names], index) =>
        `import type { ${names.map((item) => `${item} as a${index}_${item}`).join(', ')} } from '${name}';\n${names.map((item) => `export type { a${index}_${item} };`).join('\n')}`,
    )
    .join('\n');
}

/** Runs what can be run without a vendor. */
function program(): string {
  return `
import { createClaudeRuntime } from '@native-compaction/claude';
import { compactionResultSchema, initialStatusState, isNativeCompactionError, statusValue } from '@native-compaction/core';
${Object.keys(exported)
  .map((name, index) => `import * as p${index} from '${name}';`)
  .join('\n')}
const runtime = createClaudeRuntime({ executable: '/nowhere' });
const code = await runtime.open({}).catch((error) => isNativeCompactionError(error) && error.code);
if (code !== 'executable_not_found') throw new Error('expected executable_not_found, got ' + code);
if (statusValue(initialStatusState).state !== 'starting') throw new Error('statusValue');
if (compactionResultSchema.safeParse({ status: 'completed', evidence: [] }).success) throw new Error('a result without proof was taken');
await runtime.close();
const count = [${Object.keys(exported)
    .map((_, index) => `p${index}`)
    .join(', ')}].reduce((sum, module) => sum + Object.keys(module).length, 0);
console.log('packed consumer: ' + count + ' values imported and run on Node ' + process.versions.node);
`;
}
