import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime } from '@native-compaction/pi/sdk';
import { describeMatrix } from '../../support/matrix.ts';
import { benches, openPiBench } from '../../support/pi.ts';
import { piModule, piScript } from '../../support/vendors.ts';

for (const place of benches()) {
  const { version, surface } = place;
  const executable = surface === 'rpc' ? piScript(version) : piModule(version);
  describeMatrix(`Pi ${version}, ${surface}`, `pi-${surface}`, { inputTokens: 199_500 }, async (script) => {
    const bench = await openPiBench(place, script);
    const runtime = surface === 'rpc' ? createPiRpcRuntime({ executable, env: bench.env }) : createPiSdkRuntime();
    return { bench, executable, runtime };
  });
}
