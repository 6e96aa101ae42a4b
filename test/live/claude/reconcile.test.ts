import { createClaudeRuntime } from '@native-compaction/claude';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench } from '../../support/claude.ts';
import { type Answer, cellsOf, createMatrixScript, playCell, report } from '../../support/matrix.ts';
import { claudeExecutable, versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('claude'))('R5 reconcile on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  const { script, hang } = createMatrixScript({ inputTokens: 110_000 });
  const answers: Answer[] = [];
  beforeAll(async () => {
    bench = await openClaudeBench(version, script, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' });
  });
  afterAll(async () => {
    report(`Claude Code ${version}`, answers);
    await bench.close();
  });

  test.concurrent.each(cellsOf('claude'))('$who ends at $stage, crowded: $isCrowded', async (cell) => {
    const executable = claudeExecutable(version);
    const runtime = createClaudeRuntime({ executable, env: bench.env });
    const resume = (nativeId: string) => bench.open({ resume: nativeId });
    const answer = await playCell({ vendor: 'claude', executable, lab: bench, runtime, resume }, hang, cell);
    answers.push(answer);
    expect(answer.found.requestId).toBe('op');
  });
});
