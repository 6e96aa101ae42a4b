import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime } from '@native-compaction/pi/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, cellsOf, createMatrixScript, playCell, report } from '../../support/matrix.ts';
import { benches, openPiBench, type PiBench } from '../../support/pi.ts';
import { piModule, piScript } from '../../support/vendors.ts';

describe.each(benches())('R5 reconcile on Pi $version, $surface', (place) => {
  const { version, surface } = place;
  let bench: PiBench;
  const { script, hang } = createMatrixScript({ inputTokens: 199_500 });
  const answers: Answer[] = [];
  beforeAll(async () => {
    bench = await openPiBench(place, script);
  });
  afterAll(async () => {
    report(`Pi ${version} ${surface}`, answers);
    await bench.close();
  });

  test.concurrent.each(cellsOf(`pi-${surface}`))('$who ends at $stage, crowded: $isCrowded', async (cell) => {
    const executable = surface === 'rpc' ? piScript(version) : piModule(version);
    const runtime = surface === 'rpc' ? createPiRpcRuntime({ executable, env: bench.env }) : createPiSdkRuntime();
    const resume = (nativeId: string) => bench.open({ resume: nativeId });
    const answer = await playCell({ vendor: `pi-${surface}`, executable, lab: bench, runtime, resume }, hang, cell);
    answers.push(answer);
    expect(answer.found.requestId).toBe('op');
  });
});
