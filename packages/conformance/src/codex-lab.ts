import { join } from 'node:path';
import { createLab, type Lab } from './lab.ts';
import { openModelServer, type Script } from './model-server.ts';

/** Settings of a Codex lab. */
export interface CodexLabOptions {
  /** The provider's name; `OpenAI` makes Codex compact remotely. */
  readonly providerName?: string;
  /** A ChatGPT login in the place of a provider with a key; Codex then compacts remotely as well. */
  readonly isChatGpt?: boolean;
  /** Lines of `config.toml`, before the provider's. */
  readonly config?: readonly string[];
  /** Settings of the provider, such as `stream_idle_timeout_ms = 500`. */
  readonly provider?: readonly string[];
  /** Retries of a stream, told by the vendor; those of a request are off, because it tells nobody of them. */
  readonly retries?: number;
}

/** Opens a lab for Codex with a fresh CODEX_HOME and a provider on loopback. */
export async function openCodexLab(script?: Script, options: CodexLabOptions = {}): Promise<Lab> {
  const server = await openModelServer(script);
  const lab = createLab(server, (home) => ({ CODEX_HOME: join(home, 'codex'), LAB_KEY: 'dummy-key-for-loopback' }));
  const { config = [], isChatGpt = false } = options;
  const lines = [
    'model = "gpt-5.2-codex"',
    ...config,
    ...(isChatGpt ? chatGptLines(server.url) : providerLines(server.url, options)),
  ];
  lab.write('~/codex/config.toml', `${lines.join('\n')}\n`);
  if (isChatGpt) lab.write('~/codex/auth.json', chatGptLogin());
  return lab;
}

function providerLines(url: string, { providerName = 'lab', provider = [], retries = 0 }: CodexLabOptions): string[] {
  return [
    'model_provider = "lab"',
    '[model_providers.lab]',
    `name = "${providerName}"`,
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "LAB_KEY"',
    'request_max_retries = 0',
    `stream_max_retries = ${retries}`,
    ...provider,
  ];
}

/** Requests must stay readable here, and the account's own pages are asked of this machine too. */
function chatGptLines(url: string): string[] {
  return [
    `openai_base_url = "${url}/v1"`,
    `chatgpt_base_url = "${url}/backend-api"`,
    '[features]',
    'enable_request_compression = false',
  ];
}

/** A login that no server ever issued: the token is unsigned, and all of it is made up. */
function chatGptLogin(): object {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const account = { chatgpt_account_id: 'account-of-the-lab', chatgpt_plan_type: 'pro', chatgpt_user_id: 'user-of-the-lab' };
  const claims = { email: 'nobody@lab.invalid', exp: 4_102_444_800, 'https://api.openai.com/auth': account };
  const token = `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.x`;
  const tokens = { id_token: token, access_token: token, refresh_token: 'refresh-of-the-lab', account_id: 'account-of-the-lab' };
  return { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() };
}
