import { NativeCompactionError, type PromptOptions } from '@native-compaction/core';
import type { PiAgentSession, PiSdk } from './native.ts';
import type { PiSdkOpenOptions } from './options.ts';

interface CreateOptions {
  readonly sdk: PiSdk;
  readonly open: PiSdkOpenOptions;
  readonly sessionDir: string | undefined;
  /** The host's own options for Pi. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** A native session of the host's Pi, new or resumed. Throws coded errors. */
export async function createNative({ sdk, open, sessionDir, given }: CreateOptions): Promise<PiAgentSession> {
  const cwd = open.cwd ?? process.cwd();
  const agentDir = typeof given.agentDir === 'string' ? given.agentDir : sdk.getAgentDir();
  const sessionManager = managerOf(sdk, cwd, open.resume, sessionDir);
  const modelRuntime = open.model === undefined ? given.modelRuntime : (given.modelRuntime ?? (await sdk.ModelRuntime.create()));
  const settingsManager = given.settingsManager ?? sdk.SettingsManager.create(cwd, agentDir);
  const options = {
    ...given,
    cwd,
    settingsManager,
    ...(modelRuntime === undefined ? {} : { modelRuntime }),
    ...(sessionManager === undefined ? {} : { sessionManager }),
    ...(open.model === undefined ? {} : { model: modelOf(modelRuntime, open.model) }),
    ...(open.prompt === undefined
      ? {}
      : { resourceLoader: await loaderOf(sdk, open.prompt, { cwd, agentDir, settingsManager }) }),
  };
  if (open.prompt !== undefined && given.resourceLoader !== undefined) {
    throw new NativeCompactionError('invalid_options', 'open(): give the prompt here or in your resourceLoader, not in both.');
  }
  const { session } = await sdk.createAgentSession(options as never);
  return session;
}

function managerOf(sdk: PiSdk, cwd: string, resume: string | undefined, sessionDir: string | undefined): unknown {
  if (resume === undefined) return sessionDir === undefined ? undefined : sdk.SessionManager.create(cwd, sessionDir);
  const path = sdk.SessionManager.findById(cwd, resume, sessionDir);
  if (path !== undefined) return sdk.SessionManager.open(path, sessionDir);
  const message = `Pi has no session ${resume} for this folder. Check cwd and sessionDir, and that it has had a turn.`;
  throw new NativeCompactionError('resume_failed', message);
}

function modelOf(modelRuntime: unknown, name: string): unknown {
  const slash = name.indexOf('/');
  const { getModel } = modelRuntime as { getModel?: (provider: string, id: string) => unknown };
  const model = slash < 0 ? undefined : getModel?.call(modelRuntime, name.slice(0, slash), name.slice(slash + 1));
  if (model !== undefined) return model;
  throw new NativeCompactionError('invalid_options', `open(): Pi knows no model ${name}. Write it as provider/id.`);
}

/** The overrides take text as text, whatever file bears its name (E4). */
async function loaderOf(sdk: PiSdk, { system, append }: PromptOptions, place: object): Promise<unknown> {
  const loader = new sdk.DefaultResourceLoader({
    ...place,
    ...(system === undefined ? {} : { systemPromptOverride: () => system }),
    ...(append === undefined ? {} : { appendSystemPromptOverride: (base: readonly string[]) => [...base, append] }),
  } as never);
  await loader.reload();
  return loader;
}
