import { readdirSync } from 'node:fs';
import { openClaudeLab, openCodexLab, openPiLab } from '@native-compaction/conformance';
import { execa } from 'execa';
import { allVersionsOf, claudeExecutable, codexExecutable, piModule } from '../test/support/vendors.ts';

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
const vendor = file.includes('codex') ? 'codex' : file.includes('-pi') ? 'pi' : 'claude';
if (flags.includes('--real')) {
  if (vendor === 'pi' && !process.env.PI_MODULE) {
    console.error('Set PI_MODULE to your own Pi: the path of @earendil-works/pi-coding-agent/dist/index.js.');
    process.exit(2);
  }
  const { exitCode } = await execa(process.execPath, args, { stdio: 'inherit', reject: false });
  process.exit(exitCode ?? 1);
}
const labs = {
  codex: () => ({ lab: openCodexLab(), extra: { CODEX_EXECUTABLE: codexExecutable(newest('codex')) } }),
  pi: () => ({ lab: openPiLab(), extra: { PI_MODULE: piModule(newest('pi')) } }),
  claude: () => ({
    lab: openClaudeLab(),
    extra: { CLAUDE_EXECUTABLE: claudeExecutable(newest('claude')), CLAUDE_MODEL: 'claude-sonnet-4-5' },
  }),
};
const { lab: opening, extra } = labs[vendor]();
const lab = await opening;
const options = { env: { ...lab.env, ...extra }, cwd: lab.project, stdio: 'inherit', reject: false } as const;
const { exitCode } = await execa(process.execPath, args, options);
await lab.close();
process.exitCode = exitCode ?? 1;

function newest(name: string): string {
  return allVersionsOf(name).at(-1) ?? '';
}
