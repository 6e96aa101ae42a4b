import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ModelServer, openModelServer, type Script } from './model-server.ts';

/** A fresh home, a fresh project folder and a loopback model for one vendor process (E2). */
export interface Lab {
  readonly server: ModelServer;
  readonly home: string;
  readonly project: string;
  /** For a runtime's `env` option: removes every variable of the host that is not on the allow-list. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a file below the home (`~/…`) or the project and gives its path. */
  write(path: string, content: string | object): string;
  close(): Promise<void>;
}

/** Variables of the host that a vendor under test may see. */
const allowed = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot'];

/** Opens a lab for Claude Code. The key is a dummy; nothing leaves this machine. */
export async function openClaudeLab(script?: Script, extra: Readonly<Record<string, string>> = {}): Promise<Lab> {
  const server = await openModelServer(script);
  return createLab(server, (home) => ({
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'dummy-key-for-loopback',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    ...extra,
  }));
}

/** Settings of a Codex lab: what stands in `config.toml` before and after the loopback provider. */
export interface CodexLabOptions {
  /** The provider's name; `OpenAI` makes Codex compact remotely. */
  readonly providerName?: string;
  readonly config?: readonly string[];
  /** Retries of a stream, told by the vendor; those of a request are off, because it tells nobody of them. */
  readonly retries?: number;
}

/** Opens a lab for Codex with a fresh CODEX_HOME and a provider on loopback. */
export async function openCodexLab(script?: Script, options: CodexLabOptions = {}): Promise<Lab> {
  const server = await openModelServer(script);
  const lab = createLab(server, (home) => ({ CODEX_HOME: join(home, 'codex'), LAB_KEY: 'dummy-key-for-loopback' }));
  const { providerName = 'lab', config = [], retries = 0 } = options;
  const provider = [
    `name = "${providerName}"`,
    `base_url = "${server.url}/v1"`,
    'wire_api = "responses"',
    'env_key = "LAB_KEY"',
    'request_max_retries = 0',
    `stream_max_retries = ${retries}`,
  ];
  const lines = ['model = "gpt-5.2-codex"', 'model_provider = "lab"', ...config, '[model_providers.lab]', ...provider];
  lab.write('~/codex/config.toml', `${lines.join('\n')}\n`);
  return lab;
}

/** Settings of a Pi lab, over its own: no retries and a short kept tail, so that little history can be compacted. */
export interface PiLabOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The API key; one that names a variable is `$NAME`. */
  readonly key?: string;
  readonly contextWindow?: number;
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
  const { settings = {}, key = '$LAB_KEY', contextWindow = 200_000 } = options;
  const model = { id: 'lab-1', name: 'Lab', contextWindow, maxTokens: 8_000, input: ['text'], reasoning: false };
  const provider = { baseUrl: `${server.url}/v1`, api: 'openai-completions', apiKey: key, models: [model] };
  lab.write('~/pi/models.json', { providers: { lab: provider } });
  const compaction = { enabled: true, reserveTokens: 1_000, keepRecentTokens: 20 };
  lab.write('~/pi/settings.json', { retry: { enabled: false }, compaction, ...settings });
  return lab;
}

function createLab(server: ModelServer, variables: (home: string) => Record<string, string>): Lab {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'native-compaction-lab-')));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  mkdirSync(home);
  mkdirSync(project);
  const removed = Object.keys(process.env).filter((name) => !allowed.includes(name));
  return {
    server,
    home,
    project,
    env: { ...Object.fromEntries(removed.map((name) => [name, undefined])), HOME: home, ...variables(home) },
    write(path, content) {
      const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      return file;
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
