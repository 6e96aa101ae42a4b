import type { Clock } from './clock.ts';
import { type CompactOptions, checkUse, parseCompactOptions } from './compact-options.ts';
import type { CompactionResult, Outcome, RejectReason } from './compact-result.ts';
import { rejectReasons } from './compact-result.ts';
import type { Loop } from './loop.ts';
import type { EndReason, Machine, Step } from './machine.ts';
import { freeSlot, rejected, type Slot, type SlotEvent, stepSlot } from './slot.ts';

/** What the room of one `compact()` needs from its neighbours. */
export interface ControlDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: () => Loop<Out, S>;
  readonly clock: Clock;
  readonly isDeclared: boolean;
  /** True while frames that have arrived were not looked at yet. */
  readonly hasUnread: () => boolean;
  readonly takesInstructions: boolean;
  readonly readTimeoutMs: number;
  /** Inputs accepted and not yet written. */
  readonly heldInputs: () => number;
  readonly pin: (holder: string, frames: readonly number[]) => void;
  readonly finish: (
    outcome: Outcome,
    facts: { requestId: string; dispatchedAtMs?: number; settledAtMs?: number },
  ) => CompactionResult;
  readonly newId: () => string;
}

export interface Control<Out, S> {
  compact(options?: CompactOptions): Promise<CompactionResult>;
  /** Ends the wait of a control that has not been dispatched (R11); false when there is none. */
  withdraw(reason: RejectReason): boolean;
  advance(): void;
  onStep(step: Step<S, Out>, atMs: number): void;
  end(why: EndReason): void;
  readonly isHolding: boolean;
  readonly isDispatched: boolean;
  /** True once the caller of this request has its result. */
  isLate(requestId: string): boolean;
}

interface Open {
  readonly requestId: string;
  readonly operationId: string;
  readonly options: CompactOptions;
  readonly resolve: (result: CompactionResult) => void;
  since?: number;
  dispatchedAtMs?: number;
  pinned: number;
  stops: (() => void)[];
}

/** One `compact()` from gate to result: the only place with its timers and its signal. */
export function createControl<In, Out, S, F>(deps: ControlDeps<In, Out, S, F>): Control<Out, S> {
  const { machine, clock } = deps;
  const used = new Set<string>();
  const answered = new Set<string>();
  let slot: Slot = freeSlot;
  let open: Open | undefined;

  /** Steps the slot and gives the caller its answer if this was it. */
  const apply = (event: SlotEvent, settledAtMs?: number) => {
    const step = stepSlot(slot, event);
    slot = step.slot;
    const control = open;
    if (slot.phase === 'free') open = undefined;
    if (!control || !step.outcome) return;
    for (const stop of control.stops.splice(0)) stop();
    answered.add(control.requestId);
    deps.pin(
      control.operationId,
      step.outcome.evidence.map((evidence) => evidence.frame),
    );
    const { requestId, dispatchedAtMs } = control;
    control.resolve(
      deps.finish(step.outcome, {
        requestId,
        ...(dispatchedAtMs === undefined ? {} : { dispatchedAtMs }),
        ...(settledAtMs === undefined ? {} : { settledAtMs }),
      }),
    );
  };

  const refuse = (reason: RejectReason) => {
    if (slot.phase !== 'reserved') return false;
    const { requestId } = slot;
    // The record comes first: it is what the caller is about to be told, and not late.
    deps.loop().run(() => {
      if (!deps.loop().isEnded) deps.loop().host({ ask: 'withdraw', requestId, reason });
      apply({ type: 'refuse', reason });
    });
    return true;
  };

  const stopWaiting = (reason: 'timeout' | 'signal') => {
    if (refuse('aborted')) return;
    apply({ type: 'stop_waiting', reason, trail: machine.trail(deps.loop().state) });
  };

  /** Step (a): what is known without asking anybody; the first of the contract's order wins. */
  const knownReason = (options: CompactOptions): RejectReason | undefined => {
    if (options.signal?.aborted) return 'aborted';
    const loop = deps.loop();
    if (loop.isEnded) return 'closed';
    if (!deps.isDeclared) return 'unsupported';
    const admission = machine.admit(loop.state, Number.MAX_SAFE_INTEGER);
    const found = new Set<RejectReason | undefined>([machine.busy(loop.state)]);
    if ('reject' in admission) found.add(admission.reject);
    if (slot.phase !== 'free') found.add('busy_compaction');
    else if (deps.heldInputs() > 0) found.add('queued_input');
    return rejectReasons.find((reason) => found.has(reason));
  };

  const dispatch = (control: Open) => {
    apply({ type: 'dispatch' });
    const { requestId, operationId, options } = control;
    const { instructions, timeoutMs } = options;
    const request = { requestId, operationId, ...(instructions === undefined ? {} : { instructions }) };
    const frame = machine.compact(deps.loop().state, request);
    control.dispatchedAtMs = clock.now();
    deps.loop().write({ frame, ref: { kind: 'compact', id: operationId } });
    if (timeoutMs === undefined || open !== control) return;
    const timer = clock.after(timeoutMs, () => stopWaiting('timeout'));
    control.stops.push(() => timer.cancel());
  };

  /** Steps (b) and (c): asks what must be asked, and judges all again in the same synchronous step as the write. */
  const advance = () => {
    if (slot.phase !== 'reserved' || open?.since === undefined) return;
    const control = open;
    if (control.options.signal?.aborted) return void refuse('aborted');
    const admission = machine.admit(deps.loop().state, open.since);
    if ('reject' in admission) return void refuse(admission.reject);
    // Step (c) judges what arrived meanwhile as well, so the rest of what was read comes first.
    if ('go' in admission) return deps.hasUnread() ? undefined : dispatch(control);
    if ('wait' in admission) return;
    const timer = clock.after(deps.readTimeoutMs, () => void refuse('not_ready'));
    control.stops.push(() => timer.cancel());
    for (const write of admission.ask) deps.loop().write(write);
  };

  return {
    compact(raw) {
      let options: CompactOptions;
      try {
        options = parseCompactOptions(raw);
        checkUse(options, used, deps.takesInstructions);
      } catch (error) {
        return Promise.reject(error);
      }
      const requestId = options.requestId ?? deps.newId();
      used.add(requestId);
      const reason = knownReason(options);
      if (reason) return Promise.resolve(deps.finish(rejected(reason), { requestId }));
      return new Promise((resolve) => {
        const operationId = deps.newId();
        const control: Open = { requestId, operationId, options, resolve, pinned: 0, stops: [] };
        open = control;
        apply({ type: 'reserve', requestId });
        const { signal } = options;
        if (signal) {
          const onAbort = () => stopWaiting('signal');
          signal.addEventListener('abort', onAbort, { once: true });
          control.stops.push(() => signal.removeEventListener('abort', onAbort));
        }
        deps.loop().run(() => {
          control.since = deps.loop().host({ ask: 'compact', requestId, operationId });
        });
      });
    },
    withdraw: refuse,
    advance,
    onStep(step, atMs) {
      if (slot.phase !== 'dispatched' || !open) return;
      const { evidence } = machine.trail(deps.loop().state);
      if (evidence.length > open.pinned) {
        deps.pin(
          open.operationId,
          evidence.slice(open.pinned).map(({ frame }) => frame),
        );
        open.pinned = evidence.length;
      }
      if (step.settlement) apply({ type: 'settle', settlement: step.settlement }, atMs);
    },
    end(why) {
      if (slot.phase !== 'free') apply({ type: 'end', why, trail: machine.trail(deps.loop().state) });
    },
    get isHolding() {
      return slot.phase !== 'free';
    },
    get isDispatched() {
      return slot.phase === 'dispatched';
    },
    isLate: (requestId) => answered.has(requestId),
  };
}
