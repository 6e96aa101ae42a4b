import { NativeCompactionError } from '@native-compaction/core';
import type { PiSdk } from './native.ts';

/** Read by Pi at import, and meant for another agent's process (E1). */
const HIDDEN = 'PI_PACKAGE_DIR';

/** The host's Pi. A loader runs without the variable that would brand it; the environment is the same afterwards. */
export async function loadSdk(sdk: PiSdk | (() => Promise<PiSdk>) | undefined): Promise<PiSdk> {
  if (sdk === undefined) {
    const message = 'open(): give createPiSdkRuntime({ sdk }) your import of @earendil-works/pi-coding-agent, or use attach().';
    throw new NativeCompactionError('invalid_options', message);
  }
  if (typeof sdk !== 'function') return sdk;
  const value = process.env[HIDDEN];
  delete process.env[HIDDEN];
  try {
    return await sdk();
  } finally {
    if (value !== undefined && process.env[HIDDEN] === undefined) process.env[HIDDEN] = value;
  }
}
