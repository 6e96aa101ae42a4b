import { join } from 'node:path';
import { createPiSdkRuntime, type PiSdk } from '@native-compaction/pi/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { benches, MODEL, openPiBench, type PiBench, quietly, seed } from '../../support/pi.ts';
import { piModule } from '../../support/vendors.ts';

type HostSdk = PiSdk & { readonly SessionManager: { inMemory(cwd: string): unknown } };

describe.each(benches(['sdk']))('P1 what the host gives Pi $version in process', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test('P1 an agentDir of its own holds the models and the sessions, whatever the environment says', async () => {
    bench = await openPiBench(place);
    const restore = quietly({ PI_CODING_AGENT_DIR: join(bench.home, 'empty') });
    try {
      const sdk = (await import(piModule(place.version))) as PiSdk;
      const agentDir = join(bench.home, 'pi');
      const runtime = createPiSdkRuntime({ sdk, sessionOptions: () => ({ agentDir }) });
      const session = await runtime.open({ cwd: bench.project, model: MODEL });
      await seed(session);
      await session.dispose();
      const again = await runtime.open({ cwd: bench.project, model: MODEL, resume: session.nativeId });
      expect(again.nativeId).toBe(session.nativeId);
      expect(await again.compact()).toMatchObject({ status: 'completed' });
      await runtime.close();
    } finally {
      restore();
    }
  });

  test('R9 options that would be passed over, and a session that was disposed, are refused', async () => {
    bench = await openPiBench(place);
    const sdk = (await import(piModule(place.version))) as HostSdk;
    const cwd = bench.project;
    const open = (options: object, sessionDir?: string) =>
      createPiSdkRuntime({ sdk, sessionOptions: () => options, sessionDir }).open({ cwd, model: MODEL });
    const sessionManager = sdk.SessionManager.inMemory(cwd);
    await expect(open({ sessionManager }, cwd)).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(open({ modelRuntime: {} })).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('modelRuntime'),
    });
    const shared = await bench.openShared();
    const { native } = shared;
    native?.dispose();
    await expect(bench.attach(native as never)).rejects.toMatchObject({ code: 'invalid_options' });
  });
});
