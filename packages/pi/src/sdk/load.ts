import { NativeCompactionError } from '@native-compaction/core';
import type { PiSdk } from './native.ts';
import type { Patience } from './patience.ts';

/** Read by Pi at import, and meant for another agent's process (E1). */
const HIDDEN = 'PI_PACKAGE_DIR';

const names = [
  'createAgentSession',
  'getAgentDir',
  'SessionManager',
  'ModelRuntime',
  'SettingsManager',
  'DefaultResourceLoader',
] as const;

/** Loads that are under way in this process, and what the first of them found: the last one puts it back. */
let loads = 0;
let found: string | undefined;

/** The host's Pi. A loader runs without the variable that would brand it; the environment is the same afterwards. */
export async function loadSdk(sdk: PiSdk | (() => Promise<PiSdk>) | undefined, patience: Patience): Promise<PiSdk> {
  if (sdk === undefined) {
    const message = 'open(): give createPiSdkRuntime({ sdk }) your import of @earendil-works/pi-coding-agent, or use attach().';
    throw new NativeCompactionError('invalid_options', message);
  }
  if (typeof sdk !== 'function') return checked(sdk);
  if (loads === 0) found = process.env[HIDDEN];
  loads += 1;
  delete process.env[HIDDEN];
  try {
    return checked(await patience.wait(sdk()));
  } finally {
    loads -= 1;
    if (loads === 0 && found !== undefined && process.env[HIDDEN] === undefined) process.env[HIDDEN] = found;
  }
}

function checked(sdk: PiSdk): PiSdk {
  const missing = names.filter((name) => typeof (sdk as PiSdk | undefined)?.[name] !== 'function');
  if (missing.length === 0) return sdk;
  const message = `createPiSdkRuntime({ sdk }): this is not the module @earendil-works/pi-coding-agent; it has no ${missing.join(', ')}.`;
  throw new NativeCompactionError('invalid_options', message);
}
