import type { ManualCompaction, RuntimeId } from './capability.ts';
import type { Reconciler } from './finding.ts';
import type { OpenOptions, RuntimeOptions } from './open-options.ts';
import { createRegistry, type Registry } from './registry.ts';
import { toResume } from './resume.ts';
import type { Runtime } from './runtime.ts';
import type { Session } from './session.ts';
import type { SessionSetup } from './session-setup.ts';

/** The part of a session's setup that is the same on every backend. */
export type CommonSetup = Pick<
  SessionSetup<never, never, never, never>,
  'permissions' | 'isResume' | 'signal' | 'checkpoint' | 'readTimeoutMs' | 'retain'
>;

export interface RuntimeSetup<O extends OpenOptions> {
  readonly id: RuntimeId;
  readonly manualCompaction: ManualCompaction;
  readonly options: RuntimeOptions;
  /** Throws `invalid_options`. */
  parseOpenOptions(options: unknown): O;
  /** True when a resumed session becomes a new one, so that it may start from one that is open. */
  readonly isFork?: boolean;
  readonly reconcile?: Reconciler;
  /** The sessions it shares its native ids with; its own when absent. */
  readonly registry?: Registry;
  connect(open: O, common: CommonSetup): Promise<Session>;
}

/** The runtime of a backend: options checked, checkpoint and `resume` made one, one session per native id, closed together. */
export function createRuntime<O extends OpenOptions>(setup: RuntimeSetup<O>): Runtime<O> {
  const { id, manualCompaction, options, parseOpenOptions, isFork = false, reconcile, connect } = setup;
  const { registry = createRegistry() } = setup;
  const { readTimeoutMs, retain } = options;
  return {
    id,
    manualCompaction,
    ...(reconcile ? { reconcile } : {}),
    async open(raw?: O) {
      const { resume, checkpoint } = toResume(parseOpenOptions(raw ?? {}), id);
      const open = parseOpenOptions(resume === undefined ? (raw ?? {}) : { ...raw, resume });
      const common = { permissions: open.permissions, isResume: resume !== undefined, checkpoint, readTimeoutMs, retain };
      return registry.open(isFork ? undefined : resume, (signal) => connect(open, { ...common, signal }));
    },
    close: registry.close,
  };
}
