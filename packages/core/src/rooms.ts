import { Aborts } from './aborts.ts';
import { type Clock, systemClock } from './clock.ts';
import type { CompactionResult, Outcome } from './compact-result.ts';
import { Control } from './control.ts';
import { createDeltas, type Deltas } from './deltas.ts';
import { FrameLog } from './frames.ts';
import { Inputs } from './inputs.ts';
import { Journal } from './journal.ts';
import { Listeners } from './listeners.ts';
import { Loop } from './loop.ts';
import type { LoopRooms, Told } from './loop-rooms.ts';
import type { EndReason, Entry, ExitFacts, Machine, Step } from './machine.ts';
import type { Opening } from './opening.ts';
import { Permissions } from './permissions.ts';
import type { RecordDraft, SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import { GRACE_MS, type SessionSetup, toRetain } from './session-setup.ts';
import { type AgentStatus, shownStatus } from './status.ts';
import { toResult } from './to-result.ts';

const asIs = (frame: unknown): unknown => frame;

/** The rooms of one session around its loop: what each asks of the others, and what a step of the loop does in them. */
export class Rooms<In, Out, S, F> implements LoopRooms<In, Out, S, F> {
  /** A UUID as Node makes it is a chain of pieces; in lower case, which it is, the same takes 68 bytes for 490. */
  readonly id = crypto.randomUUID().toLowerCase();
  readonly setup: SessionSetup<In, Out, S, F>;
  readonly machine: Machine<In, Out, S, F>;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly frames: FrameLog;
  readonly journal: Journal;
  readonly loop: Loop<In, Out, S, F>;
  readonly listeners: Listeners;
  readonly inputs: Inputs<In, Out, S, F>;
  readonly permissions: Permissions<In, Out, S, F>;
  readonly control: Control<In, Out, S, F>;
  readonly aborts: Aborts<In, Out, S, F>;
  readonly #deltas: Deltas;
  /** Until the native side has opened the session. */
  opening: Opening | undefined;
  #exit: ExitFacts | undefined;
  #disposal: Promise<void> | undefined;
  #isPaused = false;
  #isClosed = false;

  constructor(setup: SessionSetup<In, Out, S, F>) {
    const { machine, redactor, clock = systemClock, toNative = asIs } = setup;
    const retain = toRetain(setup.retain);
    this.setup = setup;
    this.machine = machine;
    this.redactor = redactor;
    this.clock = clock;
    this.frames = new FrameLog(retain, toNative as typeof asIs);
    this.journal = new Journal(this, retain, setup.checkpoint);
    this.loop = new Loop(this);
    this.listeners = new Listeners(this);
    this.inputs = new Inputs(this);
    this.permissions = new Permissions(this, setup.permissions);
    this.control = new Control(this);
    this.aborts = new Aborts(this);
    this.#deltas = createDeltas(redactor);
  }

  publish(draft: RecordDraft, bytes = 0, atMs = this.clock.now()): void {
    for (const whole of this.#deltas.take(draft)) {
      const record = this.#log(whole, bytes, atMs);
      if (!record) return;
      this.inputs.onRecord(record);
      this.permissions.onRecord(record);
      this.opening?.onRecord(record);
    }
  }

  /** Deltas are told to nobody but the log and its readers. */
  publishRun(run: readonly Told[], atMs: number): void {
    for (const { draft, bytes } of this.#deltas.takeRun(run))
      draft.type === 'assistant_delta' ? this.#log(draft, bytes, atMs) : this.publish(draft, bytes, atMs);
  }

  present(frame: In): unknown {
    const { toNative = asIs, present = toNative } = this.setup;
    return present(frame);
  }

  onStep(step: Step<S, Out>, entry: Entry<In, Out>): void {
    this.aborts.onStep(step);
    this.control.onStep(step, entry.atMs);
  }

  onQuiet(): void {
    this.aborts.advance();
    this.control.advance();
    this.inputs.advance();
  }

  deliver(): void {
    this.listeners.deliver();
    this.updatePause();
  }

  onLateExit(exit: ExitFacts): void {
    this.#exit = exit;
  }

  onEnd(why: EndReason, exit: ExitFacts): void {
    this.#exit = exit;
    this.permissions.end();
    this.control.end(why);
    this.aborts.end();
    this.inputs.end();
    this.opening?.ended(exit);
    if (why !== 'disposed') this.#closeLog(why);
  }

  /** Idempotent; resolves when the process is gone. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  updatePause(): void {
    const { wire } = this.setup;
    const isWanted = !this.#isClosed && this.journal.log.isBehind() && !this.control.isHolding && !this.aborts.isPending;
    if (isWanted === this.#isPaused) return;
    this.#isPaused = isWanted;
    if (isWanted) wire.pause();
    else wire.resume();
  }

  status(): AgentStatus {
    return shownStatus(this.journal.view.statusState, this.loop.isEnded);
  }

  hasUnread(): boolean {
    return this.setup.wire.hasUnread?.() === true;
  }

  isLate(requestId: string): boolean {
    return this.control.isLate(requestId);
  }

  isSlotFree(): boolean {
    return !this.control.isHolding;
  }

  isDispatched(): boolean {
    return this.control.isDispatched;
  }

  withdraw(): boolean {
    return this.control.withdraw('aborted');
  }

  onAbort(): void {
    this.permissions.cancel();
  }

  reservedCommand(text: string): string | undefined {
    return this.setup.reservedCommand?.(text);
  }

  heldInputs(): number {
    return this.inputs.held;
  }

  finish(outcome: Outcome, facts: { requestId: string; dispatchedAtMs?: number; settledAtMs?: number }): CompactionResult {
    const { vendorVersion } = this.journal.view.statusState;
    const { id: sessionId, redactor } = this;
    const version = vendorVersion === undefined ? {} : { vendorVersion };
    return toResult(outcome, { sessionId, runtime: this.setup.runtime, ...version, ...facts }, redactor);
  }

  async #dispose(): Promise<void> {
    const { wire, graceMs = GRACE_MS } = this.setup;
    this.loop.end('disposed');
    await wire.close(graceMs);
    this.#closeLog('disposed');
  }

  #closeLog(why: EndReason): void {
    if (this.#isClosed) return;
    const { code, signal, stderrTail } = this.#exit ?? {};
    this.publish({ type: 'process_exited', code, signal, ...(stderrTail ? { stderrTail } : {}) });
    this.publish({ type: 'session_closed', why });
    this.#isClosed = true;
    this.journal.close();
    this.listeners.close();
  }

  #log(draft: RecordDraft, bytes: number, atMs: number): SessionRecord | undefined {
    const record = this.journal.publish(draft, bytes, atMs);
    if (record) this.listeners.add(record);
    return record;
  }
}
