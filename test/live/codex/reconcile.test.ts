import { createCodexRuntime } from '@native-compaction/codex';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { type Answer, cellsOf, createMatrixScript, playCell, report } from '../../support/matrix.ts';
import { codexExecutable, versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('codex'))('R5 reconcile on Codex %s', (version) => {
  let bench: CodexBench;
  const { script, hang } = createMatrixScript({ inputTokens: 60_000 });
  const answers: Answer[] = [];
  beforeAll(async () => {
    bench = await openCodexBench(version, script, { config: ['model_auto_compact_token_limit = 50000'] });
    await (await bench.open()).dispose(); // 0.166 cannot make its home twice at once
  });
  afterAll(async () => {
    report(`Codex ${version}`, answers);
    await bench.close();
  });

  test.concurrent.each(cellsOf('codex'))('$who ends at $stage, crowded: $isCrowded', async (cell) => {
    const executable = codexExecutable(version);
    const runtime = createCodexRuntime({ executable, env: bench.env });
    const resume = (nativeId: string) => bench.open({ resume: nativeId });
    const answer = await playCell({ vendor: 'codex', executable, lab: bench, runtime, resume }, hang, cell);
    answers.push(answer);
    expect(answer.found.requestId).toBe('op');
  });
});
