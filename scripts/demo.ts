import { allVersionsOf, claudeExecutable, codexExecutable, piScript } from '../test/support/vendors.ts';
import { demoClaude } from './demo/claude.ts';
import { demoCodex } from './demo/codex.ts';
import { demoPi } from './demo/pi.ts';
import { type Show, showJson, showText } from './demo/show.ts';

/** Real agents, compacted against a loopback model: no account, no key, no network. */
const demos = {
  claude: { name: 'Claude Code', run: (version: string, show: Show) => demoClaude(claudeExecutable(version), show) },
  codex: { name: 'Codex', run: (version: string, show: Show) => demoCodex(codexExecutable(version), show) },
  pi: { name: 'Pi', run: (version: string, show: Show) => demoPi(piScript(version), show) },
};

const words = process.argv.slice(2);
const isJson = words.includes('--json');
const named = words.filter((word) => word !== '--json');
if (named.some((word) => !(word in demos))) {
  console.error(`Usage: npm run demo [-- ${Object.keys(demos).join(' | ')}] [--json]`);
  process.exit(2);
}
for (const [vendor, { name, run }] of Object.entries(demos)) {
  if (named.length > 0 && !named.includes(vendor)) continue;
  const version = allVersionsOf(vendor).at(-1) ?? '';
  if (!isJson) console.log(`\n${name} ${version}, against a model on 127.0.0.1`);
  await run(version, isJson ? showJson(version) : showText);
}
