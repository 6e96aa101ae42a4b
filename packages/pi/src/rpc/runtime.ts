import { createRedactor, createRuntime, openSession, type Runtime, type Wire } from '@native-compaction/core';
import { childEnvironment, connectJsonLines, type JsonLinesOptions, optional } from '@native-compaction/transport';
import type { PiIn, PiOut } from '../frames.ts';
import { piMachine } from '../machine.ts';
import { piManualCompaction, promptChangeOf, testedVersions } from '../options.ts';
import { present } from '../present.ts';
import { reconcilePi } from '../reconcile.ts';
import { sessionFolder } from '../session-folder.ts';
import { installedVersion, toLaunch } from './executable.ts';
import { type PiRpcOpenOptions, type PiRpcRuntimeOptions, parseOpenOptions, parseRuntimeOptions } from './options.ts';
import { createPromptFiles, type PromptFiles } from './prompt-files.ts';

/**
 * The runtime for Pi over RPC: one `pi --mode rpc` process per session. The wire has no deadline of its own; Pi's own client
 * gives a compaction up after 30 s. Throws `invalid_options`.
 */
export function createPiRpcRuntime(options: PiRpcRuntimeOptions = {}): Runtime<PiRpcOpenOptions> {
  const parsed = parseRuntimeOptions(options);
  const { executable = 'pi', env, args = [], tap } = parsed;
  // An extension may put a prompt of its own in the place of this one.
  const isTouched = args.some((argument) => /system-prompt|^--extension|^-e$/.test(argument));
  return createRuntime({
    id: 'pi-rpc',
    manualCompaction: piManualCompaction,
    options: parsed,
    parseOpenOptions,
    reconcile: (operation) => reconcilePi({ folder: sessionFolder(childEnvironment(env), args), isGroup: true }, operation),
    async connect(open, common) {
      const environment = childEnvironment(env);
      const redactor = createRedactor(environment);
      const cwd = open.cwd ?? process.cwd();
      const files = createPromptFiles(open.prompt ?? {});
      const launch = toLaunch(executable, [...toArguments(open), ...files.args, ...args], cwd);
      const wire = await connectWithFiles({ ...launch, cwd, env: environment, redactor, tap, present }, files);
      const named = {
        ...optional('version', installedVersion(executable, environment.PATH, cwd)),
        ...optional('resume', open.resume),
      };
      return openSession({
        ...common,
        runtime: 'pi-rpc',
        machine: piMachine,
        facts: { deltas: open.deltas === true, testedVersions, ...named },
        wire,
        redactor,
        manualCompaction: piManualCompaction,
        promptChange: (version, { isPromptPatched }) => promptChangeOf(version, isTouched, isPromptPatched),
        present,
      });
    },
  });
}

/** Pi takes the word behind each of these flags as its value, whatever it looks like (1.4.0 to 1.6.0). */
function toArguments({ model, resume }: PiRpcOpenOptions): string[] {
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return ['--mode', 'rpc', ...flag('--model', model), ...flag('--session', resume)];
}

/** The prompt's files go when the process goes, however that comes about. */
async function connectWithFiles(options: JsonLinesOptions, files: PromptFiles): Promise<Wire<PiIn, PiOut>> {
  try {
    const wire = await connectJsonLines(options);
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
  } catch (error) {
    files.remove();
    throw error;
  }
}
