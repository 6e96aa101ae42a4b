import { join } from 'node:path';
import { NativeCompactionError, type PromptOptions } from '@native-compaction/core';
import { groupOf } from '../session-folder.ts';
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
  const ownDir = typeof given.agentDir === 'string' ? given.agentDir : undefined;
  const agentDir = ownDir ?? sdk.getAgentDir();
  if (open.prompt !== undefined && given.resourceLoader !== undefined) {
    throw new NativeCompactionError('invalid_options', 'open(): give the prompt here or in your resourceLoader, not in both.');
  }
  const isManaged = open.resume !== undefined || sessionDir !== undefined;
  if (isManaged && given.sessionManager !== undefined) {
    const message = 'open(): a sessionManager of yours would be passed over by resume or sessionDir. Leave it out, or attach().';
    throw new NativeCompactionError('invalid_options', message);
  }
  const sessionManager = managerOf(sdk, cwd, open.resume, sessionDir, ownDir);
  const modelRuntime =
    open.model === undefined ? given.modelRuntime : (given.modelRuntime ?? (await modelRuntimeOf(sdk, ownDir)));
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
  const { session } = await sdk.createAgentSession(options as never);
  return session;
}

/** Pi looks for an id in its own folder, whatever `agentDir` a session is given (1.4.0 to 1.6.0). */
function managerOf(
  sdk: PiSdk,
  cwd: string,
  resume: string | undefined,
  sessionDir: string | undefined,
  ownDir?: string,
): unknown {
  if (resume === undefined) return sessionDir === undefined ? undefined : sdk.SessionManager.create(cwd, sessionDir);
  const folder = sessionDir ?? (ownDir === undefined ? undefined : groupOf(ownDir, cwd));
  const path = sdk.SessionManager.findById(cwd, resume, folder);
  if (path !== undefined) return sdk.SessionManager.open(path, sessionDir);
  const message = `Pi has no session ${resume} for this folder. Check cwd and sessionDir, and that it has had a turn.`;
  throw new NativeCompactionError('resume_failed', message);
}

/** As Pi's own `createAgentSession` makes it for an `agentDir`. */
function modelRuntimeOf(sdk: PiSdk, ownDir: string | undefined): Promise<unknown> {
  if (ownDir === undefined) return sdk.ModelRuntime.create();
  return sdk.ModelRuntime.create({ authPath: join(ownDir, 'auth.json'), modelsPath: join(ownDir, 'models.json') } as never);
}

function modelOf(modelRuntime: unknown, name: string): unknown {
  const { getModel } = modelRuntime as { getModel?: (provider: string, id: string) => unknown };
  if (typeof getModel !== 'function') {
    throw new NativeCompactionError('invalid_options', "sessionOptions: modelRuntime is none of Pi's ModelRuntime.create().");
  }
  const slash = name.indexOf('/');
  const model = slash < 0 ? undefined : getModel.call(modelRuntime, name.slice(0, slash), name.slice(slash + 1));
  if (model !== undefined) return model;
  const advice =
    slash < 0 ? 'Write it as provider/id.' : 'Look it up with `pi --list-models`; a model of your own needs agentDir.';
  throw new NativeCompactionError('invalid_options', `open(): Pi knows no model ${name}. ${advice}`);
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
