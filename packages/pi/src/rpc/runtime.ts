import {
  type Checkpoint,
  createRedactor,
  createRegistry,
  openSession,
  type Runtime,
  type Session,
  toResume,
  type Wire,
} from '@native-compaction/core';
import { childEnvironment, connectJsonLines, optional } from '@native-compaction/transport';
import type { PiIn, PiOut } from '../frames.ts';
import { piMachine } from '../machine.ts';
import { piManualCompaction, promptChangeOf, testedVersions } from '../options.ts';
import { present } from '../present.ts';
import { installedVersion, toLaunch } from './executable.ts';
import { type PiRpcOpenOptions, type PiRpcRuntimeOptions, parseOpenOptions, parseRuntimeOptions } from './options.ts';
import { createPromptFiles, type PromptFiles } from './prompt-files.ts';

/**
 * The runtime for Pi over RPC: one `pi --mode rpc` process per session. The wire has no deadline of its own; Pi's own client
 * gives a compaction up after 30 s. Throws `invalid_options`.
 */
export function createPiRpcRuntime(options: PiRpcRuntimeOptions = {}): Runtime<PiRpcOpenOptions> {
  const parsed = parseRuntimeOptions(options);
  const { executable = 'pi', env, args = [], readTimeoutMs, retain, tap } = parsed;
  const isTouched = args.some((argument) => /system-prompt/.test(argument));
  const registry = createRegistry();

  const start = (open: PiRpcOpenOptions, files: PromptFiles, environment: Record<string, string>) => {
    const cwd = open.cwd ?? process.cwd();
    const redactor = createRedactor(environment);
    const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
    const ours = ['--mode', 'rpc', ...flag('--model', open.model), ...flag('--session', open.resume), ...files.args];
    const launch = toLaunch(executable, [...ours, ...args], cwd);
    return { redactor, wire: connectJsonLines({ ...launch, cwd, env: environment, redactor, tap, present }) };
  };

  const connect = async (open: PiRpcOpenOptions, checkpoint: Checkpoint | undefined, signal: AbortSignal): Promise<Session> => {
    const environment = childEnvironment(env);
    const files = createPromptFiles(open.prompt ?? {});
    const { wire, redactor } = start(open, files, environment);
    const connected = await wire.catch((error: unknown) => {
      files.remove();
      throw error;
    });
    const version = installedVersion(executable, environment.PATH, open.cwd ?? process.cwd());
    return openSession({
      runtime: 'pi-rpc',
      machine: piMachine,
      facts: {
        deltas: open.deltas === true,
        testedVersions,
        ...optional('version', version),
        ...optional('resume', open.resume),
      },
      wire: withoutFiles(connected, files),
      redactor,
      manualCompaction: piManualCompaction,
      promptChange: (known) => promptChangeOf(known, isTouched),
      present,
      permissions: open.permissions,
      isResume: open.resume !== undefined,
      signal,
      checkpoint,
      readTimeoutMs,
      retain,
    });
  };

  return {
    id: 'pi-rpc',
    manualCompaction: piManualCompaction,
    async open(raw = {}) {
      const { resume, checkpoint } = toResume(parseOpenOptions(raw), 'pi-rpc');
      const open = parseOpenOptions(resume === undefined ? raw : { ...raw, resume });
      return registry.open(resume, (signal) => connect(open, checkpoint, signal));
    },
    close: registry.close,
  };
}

/** The prompt's files go when the process goes, however that comes about. */
function withoutFiles(wire: Wire<PiIn, PiOut>, files: PromptFiles): Wire<PiIn, PiOut> {
  return {
    ...wire,
    start: (on) =>
      wire.start({
        ...on,
        end(why, exit) {
          files.remove();
          on.end(why, exit);
        },
      }),
  };
}
