import { readdirSync } from 'node:fs';
import { openClaudeLab, openPiLab } from '@native-compaction/conformance';
import { execa } from 'execa';
import { allVersionsOf, claudeExecutable, piModule } from '../test/support/vendors.ts';

/** Runs one example: against the pinned vendor and a loopback model, or with `--real` against your own and your account. */
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
const isPi = file.includes('pi');
const lab = isPi ? await openPiLab() : await openClaudeLab();
const vendor = isPi
  ? { PI_MODULE: piModule(allVersionsOf('pi').at(-1) ?? '') }
  : { CLAUDE_EXECUTABLE: claudeExecutable(allVersionsOf('claude').at(-1) ?? ''), CLAUDE_MODEL: 'claude-sonnet-4-5' };
const env = { ...lab.env, ...vendor };
const { exitCode } = await execa(process.execPath, args, { env, cwd: lab.project, stdio: 'inherit', reject: false });
await lab.close();
process.exitCode = exitCode ?? 1;
