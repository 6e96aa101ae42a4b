import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPiLab, type Subject, type WrittenKind } from '@native-compaction/conformance';
import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime, type PiSdk } from '@native-compaction/pi/sdk';
import { MODEL, quietly, seed } from '../pi.ts';
import { piModule, piScript } from '../vendors.ts';

const kinds: Readonly<Record<string, WrittenKind>> = { compact: 'compact', prompt: 'input', abort: 'cancel', get_state: 'read' };

const common = {
  open: { model: MODEL },
  seed,
  replacements(lab, nativeId) {
    const folder = join(lab.home, 'pi/sessions');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(`${nativeId}.jsonl`));
    return files.flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/"type":"compaction"/g) ?? []).length;
  },
  written: (frame) => kinds[String(frame.type)],
  hasGateRead: true,
  automatic: { inputTokens: 199_500 },
} satisfies Partial<Subject>;

/** Pi of one version over RPC, for the suite. */
export function piRpcSubject(version: string): Subject {
  const script = piScript(version);
  return {
    ...common,
    runtime: 'pi-rpc',
    version,
    command: [process.execPath, script],
    createRuntime: (options) => createPiRpcRuntime({ executable: script, ...options }),
    openLab: (lab) => openPiLab(lab),
    foreign: () => ({ type: 'compact', id: `somebody-${crypto.randomUUID()}` }),
  };
}

type RealSdk = PiSdk & { ModelRuntime: { create(options: object): Promise<unknown> } };

/** Pi of one version in this very process, whose home is the lab's while the lab is open. */
export function piSdkSubject(version: string): Subject {
  return {
    ...common,
    runtime: 'pi-sdk',
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
  };
}
