import {
  type Checkpoint,
  createRedactor,
  createRegistry,
  isNativeCompactionError,
  NativeCompactionError,
  openSession,
  type Redactor,
  type Runtime,
  type Session,
  toResume,
} from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { piMachine } from '../machine.ts';
import { piManualCompaction, promptChangeOf, testedVersions } from '../options.ts';
import { present } from '../present.ts';
import { createNative } from './create.ts';
import { loadSdk } from './load.ts';
import type { PiAgentSession } from './native.ts';
import {
  type PiAttachOptions,
  type PiSdkOpenOptions,
  type PiSdkRuntimeOptions,
  parseAttachOptions,
  parseOpenOptions,
  parseRuntimeOptions,
} from './options.ts';
import { connectSession, type SdkWire } from './wire.ts';

/** The host's own Pi in this process. */
export interface PiSdkRuntime extends Runtime<PiSdkOpenOptions> {
  /**
   * Takes a session that the host already holds. What the host calls on it directly is somebody else's here: recorded, in the
   * way of a compaction, never held. `dispose()` only unsubscribes.
   */
  attach(native: PiAgentSession, options?: PiAttachOptions): Promise<Session>;
}

interface Opened {
  readonly wire: SdkWire;
  readonly version: string | undefined;
  readonly deltas: boolean | undefined;
  readonly isTouched: boolean;
  readonly checkpoint: Checkpoint | undefined;
  readonly redactor: Redactor;
}

/** The runtime for the host's own Pi, in process. Throws `invalid_options`. */
export function createPiSdkRuntime(options: PiSdkRuntimeOptions = {}): PiSdkRuntime {
  const { sdk, sessionOptions, sessionDir, readTimeoutMs, retain, tap } = parseRuntimeOptions(options);
  const registry = createRegistry();

  const openWire = ({ wire, version, deltas, isTouched, checkpoint, redactor }: Opened, signal: AbortSignal) =>
    openSession({
      runtime: 'pi-sdk',
      machine: piMachine,
      facts: { deltas: deltas === true, testedVersions, ...optional('version', version) },
      wire,
      redactor,
      manualCompaction: piManualCompaction,
      promptChange: (known) => promptChangeOf(known, isTouched),
      present,
      signal,
      checkpoint,
      readTimeoutMs,
      retain,
    });

  const connect = async (open: PiSdkOpenOptions, checkpoint: Checkpoint | undefined, signal: AbortSignal) => {
    const redactor = createRedactor(process.env);
    try {
      const pi = await loadSdk(sdk);
      const given = (await sessionOptions?.()) as Record<string, unknown> | undefined;
      const native = await createNative({ sdk: pi, open, sessionDir, given: given ?? {} });
      const wire = connectSession({ native, isOwned: true, redactor, tap });
      await native.bindExtensions({ onError: (error) => wire.receive({ type: 'extension_error', ...error }) });
      const isTouched = given?.resourceLoader !== undefined;
      return await openWire({ wire, version: pi.VERSION, deltas: open.deltas, isTouched, checkpoint, redactor }, signal);
    } catch (error) {
      if (isNativeCompactionError(error)) throw error;
      const message = `Pi did not open the session: ${redactor.error(String(error))}`;
      throw new NativeCompactionError('open_failed', message);
    }
  };

  return {
    id: 'pi-sdk',
    manualCompaction: piManualCompaction,
    async open(raw = {}) {
      const { resume, checkpoint } = toResume(parseOpenOptions(raw), 'pi-sdk');
      const open = parseOpenOptions(resume === undefined ? raw : { ...raw, resume });
      return registry.open(resume, (signal) => connect(open, checkpoint, signal));
    },
    async attach(native, raw = {}) {
      const { deltas, checkpoint: given } = parseAttachOptions(raw);
      const { checkpoint } = toResume({ resume: native.sessionId, checkpoint: given }, 'pi-sdk');
      const version = typeof sdk === 'object' ? sdk.VERSION : undefined;
      const redactor = createRedactor(process.env);
      return registry.open(native.sessionId, (signal) => {
        const wire = connectSession({ native, isOwned: false, redactor, tap });
        return openWire({ wire, version, deltas, isTouched: true, checkpoint, redactor }, signal);
      });
    },
    close: registry.close,
  };
}
