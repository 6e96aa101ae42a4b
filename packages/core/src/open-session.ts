import { type Aborts, createAborts } from './aborts.ts';
import { type Checkpoint, initialView, reduceView, type SessionView } from './checkpoint.ts';
import { type Clock, systemClock } from './clock.ts';
import type { CompactionResult, Outcome } from './compact-result.ts';
import { type Control, createControl } from './control.ts';
import { NativeCompactionError } from './errors.ts';
import { createFrameLog } from './frames.ts';
import { createInputs, type Inputs } from './inputs.ts';
import { createListeners } from './listeners.ts';
import { type Loop, startLoop } from './loop.ts';
import type { EndReason, ExitFacts, Machine, Wire } from './machine.ts';
import { createPermissions, type PermissionCallback, type Permissions } from './permissions.ts';
import { createRecordLog } from './readers.ts';
import type { RecordDraft, SessionRecord } from './record.ts';
import type { Redactor } from './redact.ts';
import { redactRecord } from './redact-record.ts';
import type { ManualCompaction, PromptChange, Retain, RuntimeId } from './runtime.ts';
import type { Session } from './session.ts';
import { statusValue } from './status.ts';

/** Everything a backend brings to make a session of a connected wire. */
export interface SessionSetup<In, Out, S, F> {
  readonly runtime: RuntimeId;
  readonly machine: Machine<In, Out, S, F>;
  readonly facts: F;
  readonly wire: Wire<In, Out>;
  readonly redactor: Redactor;
  readonly manualCompaction?: ManualCompaction | undefined;
  /** The session's own prompt facts, for the version that answered. */
  readonly promptChange: (vendorVersion: string | undefined) => PromptChange;
  readonly reservedCommand?: (text: string) => string | undefined;
  readonly permissions?: PermissionCallback | undefined;
  readonly checkpoint?: Checkpoint | undefined;
  readonly readTimeoutMs?: number | undefined;
  readonly retain?: Retain | undefined;
  readonly graceMs?: number | undefined;
  readonly clock?: Clock;
}

/** How long a gate read or the opening may stay unanswered unless the runtime says otherwise. */
export const READ_TIMEOUT_MS = 30_000;
const GRACE_MS = 1_000;
const defaults = { frames: 1024, records: 4096, bytes: 33_554_432 } as const;

/** Wires one backend into a Session; resolves once the native side has opened it, and leaves nothing behind if it does not. */
export async function openSession<In, Out, S, F>(setup: SessionSetup<In, Out, S, F>): Promise<Session> {
  const { machine, wire, redactor, clock = systemClock, readTimeoutMs = READ_TIMEOUT_MS, manualCompaction } = setup;
  const id = crypto.randomUUID();
  const newId = () => crypto.randomUUID();
  const retain = {
    frames: setup.retain?.frames ?? defaults.frames,
    records: setup.retain?.records ?? defaults.records,
    bytes: setup.retain?.bytes ?? defaults.bytes,
  };
  const opened = Promise.withResolvers<void>();
  const frames = createFrameLog(retain);
  let view: SessionView = resumedView(setup.checkpoint);
  let seq = 0;
  let isPaused = false;
  let isClosed = false;
  let exitFacts: ExitFacts = {};
  const listeners = createListeners(redactor, () => session.status());

  const updatePause = () => {
    const wanted = !isClosed && log.isBehind() && !control.isHolding && !aborts.isPending;
    if (wanted === isPaused) return;
    isPaused = wanted;
    if (wanted) wire.pause();
    else wire.resume();
  };
  const log = createRecordLog(id, retain, () => updatePause());

  const publish = (draft: RecordDraft, bytes = 0) => {
    if (isClosed) return;
    seq += 1;
    const late = 'requestId' in draft && draft.requestId !== undefined && control.isLate(draft.requestId);
    const position = { log: id, seq, atMs: clock.now(), ...(late ? { late: true as const } : {}) };
    const record = { ...position, ...redactRecord(draft, redactor) } as SessionRecord;
    log.append(record, bytes);
    view = reduceView(view, record);
    inputs.onRecord(record);
    permissions.onRecord(record);
    if (record.type === 'session_opened') opened.resolve();
    listeners.add(record);
  };

  const closeLog = (why: EndReason, exit: ExitFacts) => {
    if (isClosed) return;
    publish({
      type: 'process_exited',
      code: exit.code,
      signal: exit.signal,
      ...(exit.stderrTail ? { stderrTail: exit.stderrTail } : {}),
    });
    publish({ type: 'session_closed', why });
    isClosed = true;
    log.close();
    listeners.close();
  };

  const finish = (
    outcome: Outcome,
    facts: { requestId: string; dispatchedAtMs?: number; settledAtMs?: number },
  ): CompactionResult => {
    const { vendorVersion } = view.statusState;
    const envelope = {
      sessionId: id,
      runtime: setup.runtime,
      ...(vendorVersion === undefined ? {} : { vendorVersion }),
      ...facts,
    };
    const text = {
      ...('message' in outcome && outcome.message !== undefined ? { message: redactor.error(outcome.message) } : {}),
      ...('summary' in outcome && outcome.summary !== undefined ? { summary: redactor.text(outcome.summary) } : {}),
    };
    return { ...outcome, ...text, ...envelope } as CompactionResult;
  };

  let loop: Loop<Out, S>;
  const rooms = { machine, loop: () => loop, clock, newId };
  const inputs: Inputs = createInputs({
    ...rooms,
    publish,
    isSlotFree: () => !control.isHolding,
    reservedCommand: setup.reservedCommand ?? (() => undefined),
  });
  const permissions: Permissions = createPermissions({ ...rooms, callback: setup.permissions });
  const control: Control<Out, S> = createControl({
    ...rooms,
    isDeclared: manualCompaction !== undefined,
    takesInstructions: manualCompaction?.instructions === 'per-request',
    readTimeoutMs,
    heldInputs: () => inputs.held,
    pin: frames.pin,
    finish,
  });
  const aborts: Aborts<Out, S> = createAborts({
    ...rooms,
    withdraw: () => control.withdraw('aborted'),
    isDispatched: () => control.isDispatched,
    onAbort: permissions.cancel,
  });

  let disposal: Promise<void> | undefined;
  const dispose = async () => {
    loop.end('disposed');
    await wire.close(setup.graceMs ?? GRACE_MS);
    closeLog('disposed', exitFacts);
  };

  const session: Session = {
    id,
    runtime: setup.runtime,
    get nativeId() {
      return view.statusState.nativeId;
    },
    get vendorVersion() {
      return view.statusState.vendorVersion;
    },
    get promptChange() {
      return setup.promptChange(view.statusState.vendorVersion);
    },
    send: inputs.send,
    compact: control.compact,
    abort: aborts.abort,
    status: () => (loop.isEnded ? { ...statusValue(view.statusState), state: 'closed' } : statusValue(view.statusState)),
    checkpoint() {
      const { nativeId } = view.statusState;
      return { version: 1, runtime: setup.runtime, ...(nativeId === undefined ? {} : { nativeId }), cursor: log.cursor(), view };
    },
    records: (after, options) => log.read(after, options?.required ?? false),
    on: listeners.on,
    frame: frames.frame,
    dispose: () => (disposal ??= dispose()),
    [Symbol.asyncDispose]: () => session.dispose(),
  };

  publish({ type: 'log_opened', ...(setup.checkpoint ? { follows: setup.checkpoint.cursor } : {}) });
  loop = startLoop(
    { machine, facts: setup.facts, wire, frames, clock },
    {
      publish,
      onStep(step, entry) {
        aborts.onStep(step);
        control.onStep(step, entry.atMs);
      },
      onQuiet() {
        aborts.advance();
        control.advance();
        inputs.advance();
      },
      deliver() {
        listeners.deliver();
        updatePause();
      },
      onLateExit(exit) {
        exitFacts = exit;
      },
      onEnd(why, exit) {
        exitFacts = exit;
        permissions.cancel();
        control.end(why);
        aborts.end();
        inputs.end();
        opened.reject(openFailure(exit));
        if (why !== 'disposed') closeLog(why, exit);
      },
    },
  );
  await untilOpened(opened.promise, session, clock, readTimeoutMs);
  return session;
}

/** A new log starts from what the checkpoint knows for sure: the last outcome. Open work of the old process is not carried on. */
function resumedView(checkpoint: Checkpoint | undefined): SessionView {
  const lastOutcome = checkpoint?.view.statusState.lastOutcome;
  return lastOutcome ? { ...initialView, statusState: { ...initialView.statusState, lastOutcome } } : initialView;
}

function openFailure(exit: ExitFacts): NativeCompactionError {
  const said = exit.stderrTail?.trim() || 'it said nothing on stderr';
  const how = exit.signal ? `signal ${exit.signal}` : `code ${exit.code ?? 'unknown'}`;
  return new NativeCompactionError('open_failed', `The vendor process ended before it opened the session (${how}): ${said}`);
}

async function untilOpened(opened: Promise<void>, session: Session, clock: Clock, timeoutMs: number): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = clock.after(timeoutMs, () => {
    const message = `The vendor process did not open the session within ${timeoutMs} ms. Raise readTimeoutMs, or try it by hand.`;
    timeout.reject(new NativeCompactionError('open_timeout', message));
  });
  try {
    await Promise.race([opened, timeout.promise]);
  } catch (error) {
    await session.dispose();
    throw error;
  } finally {
    timer.cancel();
    timeout.promise.catch(() => undefined);
  }
}
