import {
  type CommonSetup,
  createRedactor,
  createRegistry,
  createRuntime,
  isNativeCompactionError,
  NativeCompactionError,
  openSession,
  READ_TIMEOUT_MS,
  type Redactor,
  type Runtime,
  type Session,
  thrownText,
  toResume,
} from '@native-compaction/core';
import { checkFolder, optional } from '@native-compaction/transport';
import { piMachine } from '../machine.ts';
import { piManualCompaction, promptChangeOf, testedVersions } from '../options.ts';
import { present } from '../present.ts';
import { reconcilePi } from '../reconcile.ts';
import { sessionFolder } from '../session-folder.ts';
import { createNative } from './create.ts';
import { loadSdk } from './load.ts';
import type { PiAgentSession, PiExtensionError } from './native.ts';
import {
  checkNative,
  type PiAttachOptions,
  type PiSdkOpenOptions,
  type PiSdkRuntimeOptions,
  parseAttachOptions,
  parseOpenOptions,
  parseRuntimeOptions,
} from './options.ts';
import { createPatience, type Patience } from './patience.ts';
import { connectSession, type SdkWire } from './wire.ts';

/** The host's own Pi in this process. */
export interface PiSdkRuntime extends Runtime<PiSdkOpenOptions> {
  /**
   * Takes a session that the host already holds. What the host calls on it directly is somebody else's here: recorded, in the
   * way of a compaction, never held. `dispose()` only unsubscribes.
   */
  attach(native: PiAgentSession, options?: PiAttachOptions): Promise<Session>;
}

interface Connected {
  readonly wire: SdkWire;
  readonly redactor: Redactor;
  readonly version: string | undefined;
  readonly deltas: boolean | undefined;
  /** True where the prompt is not in this library's hand. */
  readonly isTouched: boolean;
}

/** The runtime for the host's own Pi, in process. Throws `invalid_options`. */
export function createPiSdkRuntime(options: PiSdkRuntimeOptions = {}): PiSdkRuntime {
  const { sdk, sessionOptions, sessionDir, readTimeoutMs, retain, tap } = parseRuntimeOptions(options);
  const registry = createRegistry();

  const openWire = ({ wire, redactor, version, deltas, isTouched }: Connected, common: Partial<CommonSetup>) =>
    openSession({
      ...common,
      runtime: 'pi-sdk',
      machine: piMachine,
      facts: { deltas: deltas === true, testedVersions, ...optional('version', version) },
      wire,
      redactor,
      manualCompaction: piManualCompaction,
      promptChange: (known, { isPromptPatched }) => promptChangeOf(known, isTouched, isPromptPatched),
      present,
    });

  const connect = async (open: PiSdkOpenOptions, redactor: Redactor, patience: Patience): Promise<Connected> => {
    checkFolder(open.cwd ?? process.cwd(), redactor);
    const pi = await loadSdk(sdk, patience);
    const given = ((await patience.wait(Promise.resolve(sessionOptions?.()))) ?? {}) as Record<string, unknown>;
    const native = await patience.wait(createNative({ sdk: pi, open, sessionDir, given }), (late) => late.dispose());
    const wire = connectSession({ native, isOwned: true, redactor, tap });
    try {
      const onError = (error: PiExtensionError) => wire.receive({ type: 'extension_error', ...error });
      await patience.wait(native.bindExtensions({ onError }));
    } catch (error) {
      await wire.close(0);
      throw error;
    }
    return { wire, redactor, version: pi.VERSION, deltas: open.deltas, isTouched: given.resourceLoader !== undefined };
  };

  const runtime = createRuntime<PiSdkOpenOptions>({
    id: 'pi-sdk',
    manualCompaction: piManualCompaction,
    options: { readTimeoutMs, retain },
    parseOpenOptions,
    registry,
    reconcile: (operation) => reconcilePi({ folder: sessionDir ?? sessionFolder(process.env), isGroup: false }, operation),
    async connect(open, common) {
      const redactor = createRedactor(process.env);
      const patience = createPatience(common.readTimeoutMs ?? READ_TIMEOUT_MS, common.signal);
      try {
        return await openWire(await connect(open, redactor, patience), common);
      } catch (error) {
        if (isNativeCompactionError(error)) throw error;
        throw new NativeCompactionError('open_failed', `Pi did not open the session: ${redactor.message(thrownText(error))}`);
      } finally {
        patience.end();
      }
    },
  });

  return {
    ...runtime,
    async attach(given, raw = {}) {
      const native = checkNative(given);
      const { deltas, checkpoint: saved } = parseAttachOptions(raw);
      const { checkpoint } = toResume({ resume: native.sessionId, checkpoint: saved }, 'pi-sdk');
      const version = typeof sdk === 'object' ? sdk.VERSION : undefined;
      const redactor = createRedactor(process.env);
      return registry.open(native.sessionId, (signal) => {
        const wire = connectSession({ native, isOwned: false, redactor, tap });
        const common = { signal, checkpoint, readTimeoutMs, retain };
        return openWire({ wire, redactor, version, deltas, isTouched: true }, common);
      });
    },
  };
}
