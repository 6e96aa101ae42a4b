import { join } from 'node:path';
import { createPiSubject, openPiLab, type Subject } from '@native-compaction/conformance';
import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime, type PiSdk } from '@native-compaction/pi/sdk';
import { quietly } from '../pi.ts';
import { piModule, piScript } from '../vendors.ts';

/** The pinned Pi of one version over RPC, for the suite. */
export function piRpcSubject(version: string): Subject {
  const executable = piScript(version);
  return createPiSubject({
    version,
    command: [process.execPath, executable],
    createRuntime: (options) => createPiRpcRuntime({ executable, ...options }),
  });
}

type RealSdk = PiSdk & { ModelRuntime: { create(options: object): Promise<unknown> } };

/** Pi of one version in this very process, whose home is the lab's while the lab is open. */
export function piSdkSubject(version: string): Subject {
  return createPiSubject({
    version,
    createRuntime({ tap, readTimeoutMs }, { home }) {
      const agentDir = join(home, 'pi');
      const sdk = async () => (await import(piModule(version))) as RealSdk;
      const sessionOptions = async () => ({
        modelRuntime: await (await sdk()).ModelRuntime.create({
          authPath: join(agentDir, 'auth.json'),
          modelsPath: join(agentDir, 'models.json'),
          modelsStorePath: join(agentDir, 'models-store.json'),
        }),
      });
      return createPiSdkRuntime({ sdk, sessionOptions, tap, readTimeoutMs });
    },
    async openLab(script) {
      const lab = await openPiLab(script, { key: 'dummy-key-for-loopback' });
      const restore = quietly({ HOME: lab.home, PI_CODING_AGENT_DIR: join(lab.home, 'pi') });
      return {
        ...lab,
        async close() {
          restore();
          await lab.close();
        },
      };
    },
  });
}
