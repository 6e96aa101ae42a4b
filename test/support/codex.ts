import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type CodexOpenOptions,
  type CodexRuntimeOptions,
  codexMachine,
  codexManualCompaction,
  createCodexRuntime,
  testedVersions,
} from '@native-compaction/codex';
import { type CodexLabOptions, type Lab, openCodexLab, type Script } from '@native-compaction/conformance';
import { createRedactor, openSession, type Session } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { createRecorder, type Recorder } from './recorder.ts';
import { definedOnly, type Watch, watchedWire } from './sessions.ts';
import { codexExecutable } from './vendors.ts';

/** A lab with a real Codex of one version; everything it opened is gone after `close`. */
export interface CodexBench extends Lab {
  readonly version: string;
  readonly recorder: Recorder;
  open(options?: CodexOpenOptions, runtime?: CodexRuntimeOptions): Promise<Session>;
  /** A session with the wire in the test's own hand. */
  openWired(options?: {
    readonly open?: CodexOpenOptions;
    readonly watch?: Watch;
    readonly experimentalApi?: boolean;
    /** Notices that the process is told to keep to itself, as another client's configuration could. */
    readonly optOut?: readonly string[];
  }): Promise<WiredCodex>;
  /** The rollout lines of a thread on disk. */
  rollout(threadId: string): JsonObject[];
}

export interface WiredCodex {
  readonly session: Session;
  readonly pid: number;
  /** Writes a request of the test's own, under an id the library does not know; resolves with its response. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  endInput(): Promise<void>;
}

export async function openCodexBench(version: string, script?: Script, options?: CodexLabOptions): Promise<CodexBench> {
  const lab = await openCodexLab(script, options);
  const sessions: Session[] = [];
  const recorder = createRecorder('codex', version);
  const executable = codexExecutable(version);
  return {
    ...lab,
    version,
    recorder,
    async open(open = {}, runtime = {}) {
      const { env, tap, ...rest } = runtime;
      const codex = createCodexRuntime({
        executable,
        ...rest,
        env: { ...lab.env, ...env },
        tap(line) {
          tap?.(line);
          recorder.add(line.pid, line.dir, line.frame);
        },
      });
      const session = await codex.open({ cwd: lab.project, ...open });
      sessions.push(session);
      recorder.follow(session);
      return session;
    },
    async openWired({ open = {}, watch, experimentalApi = false, optOut = [] } = {}) {
      const env = definedOnly({ PATH: process.env.PATH, ...lab.env });
      const redactor = createRedactor(env);
      const asked = new Map<unknown, (response: JsonObject) => void>();
      const { wire, write, pid } = await watchedWire(
        { executable, args: ['app-server'], cwd: lab.project, env, redactor },
        recorder,
        (dir, frame, foreign) => {
          if (dir === 'in') asked.get(frame.id)?.(frame);
          watch?.(dir, frame, foreign);
        },
      );
      const thread = { cwd: lab.project, prompt: open.prompt ?? {}, ...(open.resume ? { threadId: open.resume } : {}) };
      const session = await openSession({
        runtime: 'codex',
        machine: optOut.length > 0 ? optedOut(optOut) : codexMachine,
        facts: { thread, experimentalApi, testedVersions },
        wire,
        redactor,
        manualCompaction: codexManualCompaction,
        promptChange: () => ({ system: 'unknown', append: 'unknown' }),
        permissions: open.permissions,
      });
      sessions.push(session);
      recorder.follow(session);
      const request = (method: string, params: JsonObject) => {
        const id = `test-${crypto.randomUUID()}`;
        const answer = Promise.withResolvers<JsonObject>();
        asked.set(id, answer.resolve);
        write({ id, method, params });
        return answer.promise;
      };
      return { session, pid: pid(), request, endInput: () => wire.close(600_000) };
    },
    rollout(threadId) {
      const folder = join(lab.home, 'codex/sessions');
      const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${threadId}.jsonl`));
      return file
        ? readFileSync(join(folder, file), 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as JsonObject)
        : [];
    },
    async close() {
      await Promise.all(sessions.map((session) => session.dispose()));
      recorder.save([lab.project, lab.home, dirname(lab.home)]);
      await lab.close();
    },
  };
}

/** The machine, with an `initialize` that silences these notifications. */
function optedOut(optOutNotificationMethods: readonly string[]): typeof codexMachine {
  return {
    ...codexMachine,
    init(facts) {
      const first = codexMachine.init(facts);
      const writes = (first.writes ?? []).map(({ frame, ref }) => {
        const params = frame.params as { capabilities: JsonObject };
        const capabilities = { ...params.capabilities, optOutNotificationMethods };
        return { frame: { ...frame, params: { ...params, capabilities } }, ref };
      });
      return { ...first, writes };
    },
  };
}
