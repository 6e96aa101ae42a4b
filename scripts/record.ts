import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeScenarios, collect } from '../test/scenarios/claude.ts';
import { openClaudeBench } from '../test/support/claude.ts';
import { allVersionsOf } from '../test/support/vendors.ts';

/** Members of the vendor's own inventory that no promise rests on. */
const dropped = new Set([
  'models',
  'agents',
  'tools',
  'mcp_servers',
  'slash_commands',
  'skills',
  'plugins',
  'account',
  'available_output_styles',
  'modelUsage',
  'memory_paths',
  'messaging_socket_path',
  'user_output_styles_dir',
  'pid',
]);

/** Records the fixtures of every scenario from the real CLIs: the frames of both directions, redacted, long texts cut. */
const only = process.argv.slice(2);
for (const version of allVersionsOf('claude')) {
  const folder = join('packages/claude/test/fixtures', version);
  mkdirSync(folder, { recursive: true });
  for (const [name, scenario] of Object.entries(claudeScenarios)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const bench = await openClaudeBench(version, undefined, scenario.env);
    const { tap, lines } = collect();
    const results = await scenario.run(bench, (options) => bench.open(options, { tap }));
    const expected = results.map((result) => ({
      status: result.status,
      ...('reason' in result ? { reason: result.reason } : {}),
    }));
    await bench.close();
    const pids = [...new Set(lines.map((line) => line.pid))];
    const kept = lines.map(({ t, pid, dir, frame }) => ({
      t,
      process: pids.indexOf(pid) + 1,
      dir,
      frame: cut(frame, [bench.home, bench.project]),
    }));
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(
      file,
      [{ scenario: name, vendor: 'claude', version, results: expected }, ...kept]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    console.log(`${file}: ${kept.length} frames, ${expected.map((result) => result.status).join(', ')}`);
  }
}

/** Keeps what a machine may read: structure, ids and short texts. Folders of this machine get neutral names. */
function cut(value: unknown, folders: readonly string[]): unknown {
  if (typeof value === 'string') {
    const neutral = folders.reduce(
      (text, folder, index) =>
        text.replaceAll(folder, index === 0 ? '/home/user' : '/project').replaceAll(folder.replaceAll('/', '-'), '-project'),
      value,
    );
    return neutral.length > 160 ? `${neutral.slice(0, 120)}[cut]` : neutral;
  }
  if (Array.isArray(value)) {
    const named = value.filter((item) => /compact/i.test(String((item as { name?: unknown } | null)?.name)));
    const items = value.length > 12 ? named : value;
    return items.map((item) => cut(item, folders));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (dropped.has(key) ? [] : [[key, cut(member, folders)]])),
  );
}
