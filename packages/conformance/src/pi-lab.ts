import { join } from 'node:path';
import { createLab, type Lab } from './lab.ts';
import { openModelServer, type Script } from './model-server.ts';

/** Settings of a Pi lab, over its own: no retries and a short kept tail, so that little history can be compacted. */
export interface PiLabOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The API key; one that names a variable is `$NAME`. */
  readonly key?: string;
  readonly contextWindow?: number;
  /** What the model is said to take, in Pi's own words. */
  readonly compat?: Readonly<Record<string, unknown>>;
}

/** Opens a lab for Pi with a fresh agent folder and a provider on loopback; its model is `lab/lab-1`. */
export async function openPiLab(script?: Script, options: PiLabOptions = {}): Promise<Lab> {
  const server = await openModelServer(script);
  const lab = createLab(server, (home) => ({
    PI_CODING_AGENT_DIR: join(home, 'pi'),
    PI_OFFLINE: '1',
    PI_SKIP_VERSION_CHECK: '1',
    PI_TELEMETRY: '0',
    LAB_KEY: 'dummy-key-for-loopback',
  }));
  const { settings = {}, key = '$LAB_KEY', contextWindow = 200_000, compat = {} } = options;
  const model = { id: 'lab-1', name: 'Lab', contextWindow, maxTokens: 8_000, input: ['text'], reasoning: false, compat };
  const provider = { baseUrl: `${server.url}/v1`, api: 'openai-completions', apiKey: key, models: [model] };
  lab.write('~/pi/models.json', { providers: { lab: provider } });
  const compaction = { enabled: true, reserveTokens: 1_000, keepRecentTokens: 20 };
  lab.write('~/pi/settings.json', { retry: { enabled: false }, compaction, ...settings });
  return lab;
}
