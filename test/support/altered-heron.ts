import type {
  CompactionResult,
  Machine,
  OpenOptions,
  Redactor,
  Runtime,
  Session,
  SessionRecord,
  SessionSetup,
  Settlement,
} from '@native-compaction/core';
import { Unparsed } from '@native-compaction/transport';
import { createHeronRuntime } from '../../examples/heron/runtime.ts';
import type { HeronFacts, HeronIn, HeronOut, HeronState } from '../../examples/heron/state.ts';

type Setup = SessionSetup<HeronIn, HeronOut, HeronState, HeronFacts>;
type HeronMachine = Machine<HeronIn, HeronOut, HeronState, HeronFacts>;
type CreateRuntime = (options: Parameters<typeof createHeronRuntime>[0]) => Runtime<never>;
export interface Dishonest {
  /** The requirement it breaks. */
  readonly breaks: string;
  readonly create: CreateRuntime;
}

export const withSetup =
  (alter: (setup: Setup) => Setup): CreateRuntime =>
  (options) =>
    createHeronRuntime(options, alter) as Runtime<never>;

/** Settles with success as soon as a frame of this type comes while ours is open. */
export const settlesOn =
  (type: string) =>
  (setup: Setup): Setup => {
    const { machine } = setup;
    const step: HeronMachine['step'] = (state, entry) => {
      const honest = machine.step(state, entry);
      if (!state.operation || entry.dir !== 'in' || entry.frame instanceof Unparsed || entry.frame.type !== type) return honest;
      const { operation, ...rest } = honest.state;
      const settlement: Settlement = { status: 'completed', context: 'compacted', evidence: state.operation.evidence };
      return { ...honest, state: rest, settlement };
    };
    return { ...setup, machine: { ...machine, step } };
  };

/** Puts other methods in the place of a session's own. */
export const withSession =
  (change: (session: Session, setup: Setup) => Partial<Session>): CreateRuntime =>
  (options) => {
    let last: Setup | undefined;
    const runtime = createHeronRuntime(options, (setup) => {
      last = setup;
      return setup;
    });
    return {
      ...runtime,
      async open(open?: never) {
        const session = await runtime.open(open);
        const changed = last ? change(session, last) : {};
        return new Proxy(session, {
          get(target, name) {
            const from = name in changed ? changed : target;
            const member: unknown = Reflect.get(from, name);
            return typeof member === 'function' ? member.bind(from) : member;
          },
        });
      },
    } as Runtime<never>;
  };

/** Redacts nothing. */
export const blind: Redactor = {
  text: String,
  error: String,
  message: String,
  split: (before, text) => ({ shown: before + text, held: '' }),
  isClean: () => true,
  value: (value) => value,
};
export const unconfirmed = (result: CompactionResult): CompactionResult => {
  const { requestId, sessionId, runtime, evidence } = result;
  return {
    requestId,
    sessionId,
    runtime,
    evidence,
    status: 'unconfirmed',
    context: 'unknown',
    reason: 'no_evidence',
    started: true,
  };
};

export const withResult = (change: (result: CompactionResult) => object) =>
  withSession((session) => ({ compact: async (options) => change(await session.compact(options)) as CompactionResult }));

/** Changes, or leaves out, what listeners and readers are told. */
export const withRecords = (change: (record: SessionRecord) => object | undefined) =>
  withSession((session) => ({
    async *records(after, options) {
      for await (const record of session.records(after, options)) {
        const changed = change(record);
        if (changed) yield changed as SessionRecord;
      }
    },
    on(event: never, listener: (what: never) => void) {
      const told = (record: SessionRecord) => void (change(record) && listener(change(record) as never));
      return session.on(event, (event === 'record' ? told : listener) as never);
    },
  }));

export const without = (type: SessionRecord['type']) => withRecords((record) => (record.type === type ? undefined : record));
export const later = (timeMs: number) => new Promise((done) => setTimeout(done, timeMs));
/** Opens with other options, or does something else beside it. */
export const withOpen =
  (open: (runtime: Runtime<OpenOptions>, options: OpenOptions, env: HeronEnvironment) => Promise<Session>): CreateRuntime =>
  (options) => {
    const runtime = createHeronRuntime(options);
    return { ...runtime, open: (asked: OpenOptions = {}) => open(runtime, asked, options?.env ?? {}) } as Runtime<never>;
  };
type HeronEnvironment = Readonly<Record<string, string | undefined>>;
