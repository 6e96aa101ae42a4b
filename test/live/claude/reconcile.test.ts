import { createClaudeRuntime } from '@native-compaction/claude';
import { openClaudeBench } from '../../support/claude.ts';
import { describeMatrix } from '../../support/matrix.ts';
import { claudeExecutable, versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('claude')) {
  const executable = claudeExecutable(version);
  describeMatrix(`Claude Code ${version}`, 'claude', { inputTokens: 110_000 }, async (script) => {
    const bench = await openClaudeBench(version, script, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' });
    return { bench, executable, runtime: createClaudeRuntime({ executable, env: bench.env }) };
  });
}
