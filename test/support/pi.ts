import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Lab, openPiLab, type PiLabOptions, type Script } from '@native-compaction/conformance';
import { createRedactor, type OpenOptions, openSession, type Session } from '@native-compaction/core';
import { piMachine, piManualCompaction, testedVersions } from '@native-compaction/pi';
import { createPiRpcRuntime, type PiRpcRuntimeOptions } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime, type PiAgentSession, type PiSdk } from '@native-compaction/pi/sdk';
import type { JsonObject, TapLine } from '@native-compaction/transport';
import { createRecorder, type Recorder } from './recorder.ts';
import { definedOnly, watchedWire } from './sessions.ts';
import { piModule, piScript, versionsOf } from './vendors.ts';

export { seedPi as seed } from '@native-compaction/conformance';
export { record, recordsSoFar, say } from './sessions.ts';

export const MODEL = 'lab/lab-1';
export type Surface = 'rpc' | 'sdk';

/** Every pinned version of this run, over RPC and in process. */
export function benches(surfaces: readonly Surface[] = ['rpc', 'sdk']): { version: string; surface: Surface }[] {
  return versionsOf('pi').flatMap((version) => surfaces.map((surface) => ({ version, surface })));
}

/** A lab with a real Pi of one version behind one surface; everything it opened is gone after `close`. */
export interface PiBench extends Lab {
  readonly version: string;
  readonly surface: Surface;
  open(options?: OpenOptions, runtime?: PiRpcRuntimeOptions): Promise<Session>;
  /** A session that somebody else works on as well: raw commands over RPC, calls on the same native session in process. */
  openShared(options?: SharedOptions, watch?: Watch): Promise<Shared>;
  /** Takes a native session in process, with a runtime of its own. */
  attach(native: PiAgentSession): Promise<Session>;
  /** Every session file. */
  files(): string[];
  /** The session's entries on disk, in file order. */
  entries(sessionId: string | undefined): JsonObject[];
}

/** Sees every frame, in both directions, before the library does. */
type Watch = (dir: 'in' | 'out' | 'end', frame: JsonObject) => void;

/** `inMemory` is for a session in process that is never written to disk. */
type SharedOptions = OpenOptions & { readonly inMemory?: boolean };

export interface Shared {
  readonly session: Session;
  /** Acts behind the library's back: `compact`, `prompt`, `steer`, `bash`, … with the members of the RPC command; until it is answered. */
  foreign(type: string, members?: JsonObject): Promise<void>;
  readonly pid: number;
  endInput(): Promise<void>;
  /** The host's own session, in process. */
  readonly native?: NativePi;
}

/** What the tests call of a real session beyond what the library does. */
interface NativePi extends PiAgentSession {
  steer(text: string): Promise<unknown>;
  followUp(text: string): Promise<unknown>;
  executeBash(command: string): Promise<unknown>;
  setAutoCompactionEnabled(enabled: boolean): void;
}

/** Sets variables of this very process, with those that keep Pi off the network; gives what puts them back. */
export function quietly(variables: Readonly<Record<string, string>>): () => void {
  const changed = { ...quiet, ...variables };
  const before = Object.fromEntries(Object.keys(changed).map((name) => [name, process.env[name]]));
  Object.assign(process.env, changed);
  return () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

const quiet = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };

export async function openPiBench(
  { version, surface }: { version: string; surface: Surface },
  script?: Script,
  { recording, ...options }: PiLabOptions & { readonly recording?: string } = {},
): Promise<PiBench> {
  const lab = await openPiLab(script, surface === 'sdk' ? { key: 'dummy-key-for-loopback', ...options } : options);
  const recorder = createRecorder('pi', version, surface, recording);
  const sessions: Session[] = [];
  const keep = (session: Session) => {
    sessions.push(session);
    recorder.follow(session);
    return session;
  };
  const files = () => {
    const folder = join(lab.home, 'pi/sessions');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  };
  const opener = surface === 'rpc' ? openRpc(lab, version, recorder) : await openSdk(lab, version, recorder);
  return {
    ...lab,
    version,
    surface,
    open: async (open = {}, runtime = {}) => keep(await opener.open({ cwd: lab.project, model: MODEL, ...open }, runtime)),
    async openShared(open = {}, watch) {
      const shared = await opener.openShared({ cwd: lab.project, model: MODEL, ...open }, watch);
      keep(shared.session);
      return shared;
    },
    attach: async (native) => keep(await opener.attach(native)),
    files,
    entries(sessionId) {
      const file = files().find((name) => name.endsWith(`${sessionId}.jsonl`));
      if (!file) return [];
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as JsonObject);
    },
    async close() {
      await Promise.all(sessions.map((session) => session.dispose()));
      recorder.save([lab.project, lab.home, dirname(lab.home)]);
      opener.close();
      await lab.close();
    },
  };
}

interface Opener {
  open(options: OpenOptions, runtime: PiRpcRuntimeOptions): Promise<Session>;
  openShared(options: SharedOptions, watch: Watch | undefined): Promise<Shared>;
  attach(native: PiAgentSession): Promise<Session>;
  close(): void;
}

function openRpc(lab: Lab, version: string, recorder: Recorder): Opener {
  const executable = piScript(version);
  return {
    open(open, { env, tap, ...runtime }) {
      const pi = createPiRpcRuntime({
        executable,
        ...runtime,
        env: { ...lab.env, ...env },
        tap(line) {
          tap?.(line);
          recorder.add(line.pid, line.dir, line.frame);
        },
      });
      return pi.open(open);
    },
    async openShared(open, watch) {
      const env = definedOnly({ PATH: process.env.PATH, ...lab.env });
      const redactor = createRedactor(env);
      const answers = new Map<string, () => void>();
      const resume = open.resume === undefined ? [] : ['--session', open.resume];
      const args = [executable, '--mode', 'rpc', '--model', MODEL, ...resume];
      const { wire, write, pid } = await watchedWire(
        { executable: process.execPath, args, cwd: lab.project, env, redactor },
        recorder,
        (dir, frame) => {
          watch?.(dir, frame);
          if (frame.type === 'response') answers.get(String(frame.id))?.();
        },
      );
      const session = await openSession({
        runtime: 'pi-rpc',
        machine: piMachine,
        facts: { deltas: open.deltas === true, testedVersions, version },
        wire,
        redactor,
        manualCompaction: piManualCompaction,
        promptChange: () => ({ system: 'unknown', append: 'unknown' }),
      });
      const foreign = (type: string, members: JsonObject = {}) => {
        const id = `test-${crypto.randomUUID()}`;
        const { promise, resolve } = Promise.withResolvers<void>();
        answers.set(id, resolve);
        write({ id, type, ...members });
        return promise;
      };
      return { session, foreign, pid: pid(), endInput: () => wire.close(600_000) };
    },
    attach: () => Promise.reject(new Error('only in process')),
    close: () => undefined,
  };
}

type RealSdk = PiSdk & {
  SessionManager: { inMemory(cwd: string): unknown };
  ModelRuntime: { create(options: object): Promise<{ getModel(provider: string, id: string): unknown }> };
  createAgentSession(options: object): Promise<{ session: NativePi }>;
};

/** Pi in this very process: its home is the lab's while the bench is open. */
async function openSdk(lab: Lab, version: string, recorder: Recorder): Promise<Opener> {
  const agentDir = join(lab.home, 'pi');
  const restore = quietly({ HOME: lab.home, PI_CODING_AGENT_DIR: agentDir });
  const sdk = (await import(piModule(version))) as RealSdk;
  let count = 0;
  const sessionOptions = async () => ({
    modelRuntime: await sdk.ModelRuntime.create({
      authPath: join(agentDir, 'auth.json'),
      modelsPath: join(agentDir, 'models.json'),
      modelsStorePath: join(agentDir, 'models-store.json'),
    }),
  });
  const taps = (also: ((line: TapLine) => void) | undefined) => {
    count += 1;
    const place = count;
    return (line: TapLine) => {
      also?.(line);
      recorder.add(place, line.dir, line.frame);
    };
  };
  return {
    open(open, { tap, retain, readTimeoutMs }) {
      const runtime = createPiSdkRuntime({ sdk, sessionOptions, tap: taps(tap), retain, readTimeoutMs });
      return runtime.open(open);
    },
    async openShared(open, watch) {
      const { modelRuntime } = await sessionOptions();
      const file = open.resume === undefined ? undefined : sdk.SessionManager.findById(lab.project, open.resume);
      const kept = file === undefined ? {} : { sessionManager: sdk.SessionManager.open(file) };
      const sessionManager = open.inMemory ? { sessionManager: sdk.SessionManager.inMemory(lab.project) } : kept;
      const model = modelRuntime.getModel('lab', 'lab-1');
      const { session: native } = await sdk.createAgentSession({ cwd: lab.project, modelRuntime, model, ...sessionManager });
      await native.bindExtensions({});
      const runtime = createPiSdkRuntime({ sdk, tap: taps(({ dir, frame }) => watch?.(dir, frame as JsonObject)) });
      const session = await runtime.attach(native, { deltas: open.deltas });
      const endInput = async () => native.dispose();
      return { session, native, foreign: callNative(native), pid: process.pid, endInput };
    },
    attach: (native) => createPiSdkRuntime({ tap: taps(undefined) }).attach(native),
    close: restore,
  };
}

function callNative(native: NativePi): Shared['foreign'] {
  const calls: Record<string, (members: JsonObject) => Promise<unknown>> = {
    compact: ({ customInstructions }) => native.compact(customInstructions as string | undefined),
    prompt: ({ message }) => native.prompt(String(message)),
    steer: ({ message }) => native.steer(String(message)),
    follow_up: ({ message }) => native.followUp(String(message)),
    abort: () => native.abort(),
    bash: ({ command }) => native.executeBash(String(command)),
    set_auto_compaction: async ({ enabled }) => native.setAutoCompactionEnabled(enabled === true),
  };
  return (type, members = {}) => {
    const call = calls[type];
    if (!call) throw new Error(`no such call in process: ${type}`);
    return call(members).then(
      () => undefined,
      () => undefined,
    );
  };
}
