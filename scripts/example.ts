import { readdirSync } from 'node:fs';
import { openClaudeLab, openCodexLab } from '@native-compaction/conformance';
import { execa } from 'execa';
import { allVersionsOf, claudeExecutable, codexExecutable } from '../test/support/vendors.ts';

/** Runs one example: against the pinned CLI and a loopback model, or with `--real` against your own CLI and account. */
const [name = '', ...flags] = process.argv.slice(2);
const examples = readdirSync('examples').filter((file) => file.endsWith('.ts'));
const file = examples.find((example) => name !== '' && example.startsWith(name));
if (!file || flags.some((flag) => flag !== '--real')) {
  console.error(
    `Usage: npm run example -- NAME [--real]. Examples: ${examples.map((example) => example.replace('.ts', '')).join(', ')}.`,
  );
  process.exit(2);
}
const args = [
  '--conditions=@native-compaction/source',
  '--disable-warning=ExperimentalWarning',
  `${process.cwd()}/examples/${file}`,
];
if (flags.includes('--real')) {
  const { exitCode } = await execa(process.execPath, args, { stdio: 'inherit', reject: false });
  process.exit(exitCode ?? 1);
}
const isCodex = file.includes('codex');
const lab = isCodex ? await openCodexLab() : await openClaudeLab();
const extra: Record<string, string> = isCodex
  ? { CODEX_EXECUTABLE: codexExecutable(allVersionsOf('codex').at(-1) ?? '') }
  : { CLAUDE_EXECUTABLE: claudeExecutable(allVersionsOf('claude').at(-1) ?? ''), CLAUDE_MODEL: 'claude-sonnet-4-5' };
const options = { env: { ...lab.env, ...extra }, cwd: lab.project, stdio: 'inherit', reject: false } as const;
const { exitCode } = await execa(process.execPath, args, options);
await lab.close();
process.exitCode = exitCode ?? 1;
