import type { Clock } from './clock.ts';
import { type CompactOptions, checkUse, parseCompactOptions } from './compact-options.ts';
import type { CompactionResult, Outcome, RejectReason } from './compact-result.ts';
import { rejectReasons } from './compact-result.ts';
import type { FrameLog } from './frames.ts';
import type { Loop } from './loop.ts';
import type { EndReason, Machine, Step, Trail } from './machine.ts';
import { READ_TIMEOUT_MS, type SessionSetup } from './session-setup.ts';
import { freeSlot, rejected, type Slot, type SlotEvent, stepSlot } from './slot.ts';

/** What the room of one `compact()` needs from its neighbours. */
export interface ControlDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: Loop<In, Out, S, F>;
  readonly clock: Clock;
  readonly setup: Pick<SessionSetup<In, Out, S, F>, 'manualCompaction' | 'readTimeoutMs'>;
  /** True while frames that have arrived were not looked at yet. */
  hasUnread(): boolean;
  /** Inputs accepted and not yet written. */
  heldInputs(): number;
  readonly frames: Pick<FrameLog, 'pin'>;
  finish(outcome: Outcome, facts: { requestId: string; dispatchedAtMs?: number; settledAtMs?: number }): CompactionResult;
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
export class Control<In, Out, S, F> {
  readonly #deps: ControlDeps<In, Out, S, F>;
  /** Every request of this log; true once its caller has its result. */
  readonly #requests = new Map<string, boolean>();
  #slot: Slot = freeSlot;
  #open: Open | undefined;

  constructor(deps: ControlDeps<In, Out, S, F>) {
    this.#deps = deps;
  }

  get isHolding(): boolean {
    return this.#slot.phase !== 'free';
  }

  get isDispatched(): boolean {
    return this.#slot.phase === 'dispatched';
  }

  /** True once the caller of this request has its result. */
  isLate(requestId: string): boolean {
    return this.#requests.get(requestId) === true;
  }

  compact(raw?: CompactOptions): Promise<CompactionResult> {
    const { loop, setup } = this.#deps;
    let options: CompactOptions;
    try {
      options = parseCompactOptions(raw);
      checkUse(options, this.#requests, setup.manualCompaction?.instructions === 'per-request');
    } catch (error) {
      return Promise.reject(error);
    }
    const requestId = options.requestId ?? crypto.randomUUID();
    this.#requests.set(requestId, false);
    const reason = this.#knownReason(options);
    if (reason) return Promise.resolve(this.#deps.finish(rejected(reason), { requestId }));
    return new Promise((resolve) => {
      const operationId = crypto.randomUUID();
      const control: Open = { requestId, operationId, options, resolve, pinned: 0, stops: [] };
      this.#open = control;
      this.#apply({ type: 'reserve', requestId });
      const { signal } = options;
      if (signal) {
        const onAbort = () => this.#stopWaiting('signal');
        signal.addEventListener('abort', onAbort, { once: true });
        control.stops.push(() => signal.removeEventListener('abort', onAbort));
      }
      loop.run(() => {
        control.since = loop.host({ ask: 'compact', requestId, operationId });
      });
    });
  }

  /** Ends the wait of a control that has not been dispatched (R11); false when there is none. */
  withdraw(reason: RejectReason): boolean {
    if (this.#slot.phase !== 'reserved') return false;
    const { loop } = this.#deps;
    const { requestId } = this.#slot;
    // The record comes first: it is what the caller is about to be told, and not late.
    loop.run(() => {
      if (!loop.isEnded) loop.host({ ask: 'withdraw', requestId, reason });
      this.#apply({ type: 'refuse', reason });
    });
    return true;
  }

  /** Steps (b) and (c): asks what must be asked, and judges all again in the same synchronous step as the write. */
  advance(): void {
    const control = this.#open;
    if (this.#slot.phase !== 'reserved' || control?.since === undefined) return;
    const { machine, loop, clock, setup } = this.#deps;
    if (control.options.signal?.aborted) return void this.withdraw('aborted');
    const admission = machine.admit(loop.state, control.since);
    if ('reject' in admission) return void this.withdraw(admission.reject);
    // Step (c) judges what arrived meanwhile as well, so the rest of what was read comes first.
    if ('go' in admission) return void (this.#deps.hasUnread() || this.#dispatch(control));
    if ('wait' in admission) return;
    const timer = clock.after(setup.readTimeoutMs ?? READ_TIMEOUT_MS, () => void this.withdraw('not_ready'));
    control.stops.push(() => timer.cancel());
    for (const write of admission.ask) loop.write(write);
  }

  onStep({ settlement }: Step<S, Out>, atMs: number): void {
    if (this.#slot.phase !== 'dispatched' || !this.#open) return;
    const { operationId, pinned } = this.#open;
    const { evidence } = this.#trail();
    if (evidence.length > pinned) {
      this.#deps.frames.pin(
        operationId,
        evidence.slice(pinned).map(({ frame }) => frame),
      );
      this.#open.pinned = evidence.length;
    }
    if (settlement) this.#apply({ type: 'settle', settlement }, atMs);
  }

  end(why: EndReason): void {
    if (this.#slot.phase !== 'free') this.#apply({ type: 'end', why, trail: this.#trail() });
  }

  /** Steps the slot and gives the caller its answer if this was it. */
  #apply(event: SlotEvent, settledAtMs?: number): void {
    const step = stepSlot(this.#slot, event);
    this.#slot = step.slot;
    const control = this.#open;
    if (this.#slot.phase === 'free') this.#open = undefined;
    if (!control || !step.outcome) return;
    for (const stop of control.stops.splice(0)) stop();
    this.#requests.set(control.requestId, true);
    this.#deps.frames.pin(
      control.operationId,
      step.outcome.evidence.map((evidence) => evidence.frame),
    );
    const { requestId, dispatchedAtMs } = control;
    control.resolve(
      this.#deps.finish(step.outcome, {
        requestId,
        ...(dispatchedAtMs === undefined ? {} : { dispatchedAtMs }),
        ...(settledAtMs === undefined ? {} : { settledAtMs }),
      }),
    );
  }

  #stopWaiting(reason: 'timeout' | 'signal'): void {
    if (this.withdraw('aborted')) return;
    this.#apply({ type: 'stop_waiting', reason, trail: this.#trail() });
  }

  /** Step (a): what is known without asking anybody; the first of the contract's order wins. */
  #knownReason(options: CompactOptions): RejectReason | undefined {
    if (options.signal?.aborted) return 'aborted';
    const { machine, loop, setup } = this.#deps;
    if (loop.isEnded) return 'closed';
    if (setup.manualCompaction === undefined) return 'unsupported';
    const admission = machine.admit(loop.state, Number.MAX_SAFE_INTEGER);
    const found = new Set<RejectReason | undefined>([machine.busy(loop.state)]);
    if ('reject' in admission) found.add(admission.reject);
    if (this.#slot.phase !== 'free') found.add('busy_compaction');
    else if (this.#deps.heldInputs() > 0) found.add('queued_input');
    return rejectReasons.find((reason) => found.has(reason));
  }

  #dispatch(control: Open): void {
    this.#apply({ type: 'dispatch' });
    const { machine, loop, clock } = this.#deps;
    const { requestId, operationId, options } = control;
    const { instructions, timeoutMs } = options;
    const request = { requestId, operationId, ...(instructions === undefined ? {} : { instructions }) };
    const frame = machine.compact(loop.state, request);
    control.dispatchedAtMs = clock.now();
    loop.write({ frame, ref: { kind: 'compact', id: operationId } });
    if (timeoutMs === undefined || this.#open !== control) return;
    const timer = clock.after(timeoutMs, () => this.#stopWaiting('timeout'));
    control.stops.push(() => timer.cancel());
  }

  #trail(): Trail {
    const { machine, loop } = this.#deps;
    return machine.trail(loop.state);
  }
}
