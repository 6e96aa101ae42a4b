import { NativeCompactionError } from '@native-compaction/core';
import type { PiSdk } from './native.ts';

/** Read by Pi at import, and meant for another agent's process (E1). */
const HIDDEN = 'PI_PACKAGE_DIR';

/** Loads that are under way in this process, and what the first of them found: the last one puts it back. */
let loads = 0;
let found: string | undefined;

/** The host's Pi. A loader runs without the variable that would brand it; the environment is the same afterwards. */
export async function loadSdk(sdk: PiSdk | (() => Promise<PiSdk>) | undefined): Promise<PiSdk> {
  if (sdk === undefined) {
    const message = 'open(): give createPiSdkRuntime({ sdk }) your import of @earendil-works/pi-coding-agent, or use attach().';
    throw new NativeCompactionError('invalid_options', message);
  }
  if (typeof sdk !== 'function') return sdk;
  if (loads === 0) found = process.env[HIDDEN];
  loads += 1;
  delete process.env[HIDDEN];
  try {
    return await sdk();
  } finally {
    loads -= 1;
    if (loads === 0 && found !== undefined && process.env[HIDDEN] === undefined) process.env[HIDDEN] = found;
  }
}
