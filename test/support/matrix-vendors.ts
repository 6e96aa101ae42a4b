import type { OpenOptions, Session } from '@native-compaction/core';
import type { PiSdk } from '@native-compaction/pi/sdk';
import type { HostPlan } from './matrix-host.ts';

type Frame = Record<string, unknown>;
type Watch = (dir: string, frame: unknown, pid: number) => void;

/** One runtime as the matrix drives it; a host loads its own alone. */
interface MatrixVendor {
  /** Where in a compaction the end can come, in order, told by the frame that passes then. */
  readonly stages: Readonly<Record<string, (dir: string, frame: Frame, id: unknown) => boolean>>;
  /** The id of our command, if the frame is it. */
  commandId(frame: Frame): unknown;
  /** Who can end: in process, host and vendor are one. */
  readonly whos: readonly HostPlan['who'][];
  /** Stages at which nothing was written, and stages at which the vendor has said its last word. */
  readonly unwritten: readonly string[];
  readonly over: readonly string[];
  /** Stages from which on the provider must have answered. */
  readonly answered: readonly string[];
  /** Where it keeps its sessions, below the home of a lab. */
  readonly sessions: string;
  open(plan: HostPlan, watch: Watch): Promise<Session>;
}

/** The stage at which the host has the record of the end, and has kept it. */
export const BEHIND = 'behind the end';
const member = (value: unknown, name: string) => (value as Frame | null | undefined)?.[name];
const isCompactCommand = (frame: Frame) => String(member(frame.message, 'content')).startsWith('/compact');
const itemOf = (frame: Frame) => member(member(frame.params, 'item'), 'type');

/** Pi's frames are the same over RPC and in process. */
const pi = {
  sessions: 'pi/sessions',
  stages: {
    'the gate': (dir: string, frame: Frame) => dir === 'in' && frame.type === 'response' && frame.command === 'get_state',
    'the write': (dir: string, frame: Frame) => dir === 'out' && frame.type === 'compact',
    'the start': (_dir: string, frame: Frame) => frame.type === 'compaction_start',
    'the end': (_dir: string, frame: Frame) => frame.type === 'compaction_end',
    'the response': (dir: string, frame: Frame, id: unknown) => dir === 'in' && frame.type === 'response' && frame.id === id,
    [BEHIND]: () => false,
  },
  commandId: (frame: Frame) => (frame.type === 'compact' ? frame.id : undefined),
  unwritten: ['the gate', 'the write'],
  over: [BEHIND],
  answered: ['the end', 'the response', BEHIND],
};

export const matrixVendors: Readonly<Record<string, MatrixVendor>> = {
  claude: {
    sessions: 'claude/projects',
    stages: {
      'the gate': (dir, frame) => dir === 'in' && frame.type === 'control_response',
      'the write': (dir, frame) => dir === 'out' && isCompactCommand(frame),
      queued: (_dir, frame, id) => frame.command_uuid === id && frame.state === 'queued',
      started: (_dir, frame, id) => frame.command_uuid === id && frame.state === 'started',
      compacting: (_dir, frame) => frame.status === 'compacting',
      success: (_dir, frame) => frame.compact_result === 'success',
      'the boundary': (_dir, frame) => frame.subtype === 'compact_boundary',
      'the result': (_dir, frame) => frame.type === 'result' && frame.local_command === 'compact',
      'behind the result': (_dir, frame, id) => frame.command_uuid === id && frame.state === 'completed',
    },
    whos: ['vendor', 'host', 'both'],
    commandId: (frame) => (isCompactCommand(frame) ? frame.uuid : undefined),
    unwritten: ['the gate', 'the write'],
    over: ['the result', 'behind the result'],
    answered: ['success', 'the boundary', 'the result', 'behind the result'],
    async open({ executable, cwd, env }, watch) {
      const { createClaudeRuntime } = await import('@native-compaction/claude');
      const tap = (line: { dir: string; frame: unknown; pid: number }) => watch(line.dir, line.frame, line.pid);
      const runtime = createClaudeRuntime({ executable, tap, ...(env ? { env } : {}) });
      return runtime.open({ cwd, model: 'claude-sonnet-4-5' });
    },
  },
  codex: {
    sessions: 'codex/sessions',
    stages: {
      'the gate': (dir, frame) => dir === 'in' && member(frame.result, 'goal') !== undefined,
      'the write': (dir, frame) => dir === 'out' && frame.method === 'thread/compact/start',
      accepted: (dir, frame, id) => dir === 'in' && frame.id !== undefined && frame.id === id && frame.result !== undefined,
      'its turn': (dir, frame) => dir === 'in' && frame.method === 'turn/started',
      'the item': (_dir, frame) => frame.method === 'item/started' && itemOf(frame) === 'contextCompaction',
      'the item completed': (_dir, frame) => frame.method === 'item/completed' && itemOf(frame) === 'contextCompaction',
      'the end': (_dir, frame) => frame.method === 'turn/completed',
    },
    whos: ['vendor', 'host', 'both'],
    commandId: (frame) => (frame.method === 'thread/compact/start' ? frame.id : undefined),
    unwritten: ['the gate', 'the write'],
    over: ['the end'],
    answered: ['the item completed', 'the end'],
    async open({ executable, cwd, env }, watch) {
      const { createCodexRuntime } = await import('@native-compaction/codex');
      const tap = (line: { dir: string; frame: unknown; pid: number }) => watch(line.dir, line.frame, line.pid);
      return createCodexRuntime({ executable, tap, ...(env ? { env } : {}) }).open({ cwd });
    },
  },
  'pi-rpc': {
    ...pi,
    whos: ['vendor', 'host', 'both'],
    async open({ executable, cwd, env }, watch) {
      const { createPiRpcRuntime } = await import('@native-compaction/pi/rpc');
      const tap = (line: { dir: string; frame: unknown; pid: number }) => watch(line.dir, line.frame, line.pid);
      return createPiRpcRuntime({ executable, tap, ...(env ? { env } : {}) }).open({ cwd, model: 'lab/lab-1' });
    },
  },
  'pi-sdk': {
    ...pi,
    whos: ['host'],
    async open({ executable, cwd }, watch) {
      const { createPiSdkRuntime } = await import('@native-compaction/pi/sdk');
      const sdk = (await import(executable)) as PiSdk & { ModelRuntime: { create(options: object): Promise<never> } };
      const agentDir = sdk.getAgentDir();
      const sessionOptions = async () => ({
        modelRuntime: await sdk.ModelRuntime.create({
          authPath: `${agentDir}/auth.json`,
          modelsPath: `${agentDir}/models.json`,
          modelsStorePath: `${agentDir}/models-store.json`,
        }),
      });
      const tap = (line: { dir: string; frame: unknown }) => watch(line.dir, line.frame, process.pid);
      const open: OpenOptions = { cwd, model: 'lab/lab-1' };
      return createPiSdkRuntime({ sdk, sessionOptions, tap }).open(open);
    },
  },
};
