import type { CompactionResult, Machine, Redactor, Runtime, Session, SessionSetup, Settlement } from '@native-compaction/core';
import { Unparsed } from '@native-compaction/transport';
import { createHeronRuntime } from '../../examples/heron/runtime.ts';
import type { HeronFacts, HeronIn, HeronOut, HeronState } from '../../examples/heron/state.ts';

type Setup = SessionSetup<HeronIn, HeronOut, HeronState, HeronFacts>;
type HeronMachine = Machine<HeronIn, HeronOut, HeronState, HeronFacts>;
type CreateRuntime = (options: Parameters<typeof createHeronRuntime>[0]) => Runtime<never>;
interface Dishonest {
  /** The requirement it breaks. */
  readonly breaks: string;
  readonly create: CreateRuntime;
}

const withSetup =
  (alter: (setup: Setup) => Setup): CreateRuntime =>
  (options) =>
    createHeronRuntime(options, alter) as Runtime<never>;

/** Settles with success as soon as a frame of this type comes while ours is open. */
const settlesOn =
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
const withSession =
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
        return new Proxy(session, { get: (target, name) => Reflect.get(name in changed ? changed : target, name) });
      },
    } as Runtime<never>;
  };

/** Redacts nothing. */
const blind: Redactor = {
  text: String,
  error: String,
  message: String,
  unfinished: (text) => text.length,
  value: (value) => value,
};
const unconfirmed = (result: CompactionResult): CompactionResult => {
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

/** Adapters that lie, each a few lines around an honest machine. */
export const dishonest: Readonly<Record<string, Dishonest>> = {
  'settles on any boundary': { breaks: 'not-another-s-end', create: withSetup(settlesOn('compacted')) },
  'trusts the acknowledgement': { breaks: 'not-acknowledged', create: withSetup(settlesOn('accepted')) },
  'frees the slot on timeout': {
    breaks: 'no-timer',
    create: withSession((session) => {
      let isFree = false;
      return {
        async compact(options) {
          const result = await session.compact(options);
          isFree = result.status === 'unconfirmed' && result.reason === 'timeout';
          return result;
        },
        status: () => (isFree ? { state: 'idle' } : session.status()),
      };
    }),
  },
  retries: {
    breaks: 'no-retry',
    create: withSession((session) => ({
      async compact(options) {
        const result = await session.compact(options);
        return result.status === 'failed' ? session.compact() : result;
      },
    })),
  },
  'lets a prompt through': {
    breaks: 'no-input-inside',
    create: withSession((session, { wire }) => ({
      send(input) {
        if (session.status().compaction) wire.write({ type: 'prompt', id: crypto.randomUUID(), text: String(input) });
        return session.send(input);
      },
    })),
  },
  'leaks a secret': { breaks: 'redacted', create: withSetup((setup) => ({ ...setup, redactor: blind })) },
  'always answers unconfirmed': {
    breaks: 'proof-found',
    create: withSession((session) => ({ compact: async (options) => unconfirmed(await session.compact(options)) })),
  },
};
