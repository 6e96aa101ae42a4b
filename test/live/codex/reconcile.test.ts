import { createCodexRuntime } from '@native-compaction/codex';
import { openCodexBench } from '../../support/codex.ts';
import { describeMatrix } from '../../support/matrix.ts';
import { codexExecutable, versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('codex')) {
  const executable = codexExecutable(version);
  describeMatrix(`Codex ${version}`, 'codex', { inputTokens: 60_000 }, async (script) => {
    const bench = await openCodexBench(version, script, { config: ['model_auto_compact_token_limit = 50000'] });
    await (await bench.open()).dispose(); // 0.166 cannot make its home twice at once
    return { bench, executable, runtime: createCodexRuntime({ executable, env: bench.env }) };
  });
}
