import { type Aborts, createAborts } from './aborts.ts';
import { toCheckpoint } from './checkpoint.ts';
import { systemClock } from './clock.ts';
import type { CompactionResult, Outcome } from './compact-result.ts';
import { type Control, createControl } from './control.ts';
import { createDeltas } from './deltas.ts';
import { createFrameLog } from './frames.ts';
import { createInputs, type Inputs } from './inputs.ts';
import { createJournal, type Journal } from './journal.ts';
import { createListeners } from './listeners.ts';
import { type Loop, startLoop, type Told } from './loop.ts';
import type { EndReason, ExitFacts } from './machine.ts';
import { createOpening } from './opening.ts';
import { createPermissions, type Permissions } from './permissions.ts';
import type { RecordDraft } from './record.ts';
import type { Session } from './session.ts';
import { GRACE_MS, READ_TIMEOUT_MS, type SessionSetup, toLogOpened, toRetain } from './session-setup.ts';
import { shownStatus } from './status.ts';

/** Wires one backend into a Session; resolves once the native side has opened it, and leaves nothing behind if it does not. */
export async function openSession<In, Out, S, F>(setup: SessionSetup<In, Out, S, F>): Promise<Session> {
  const { machine, wire, redactor, clock = systemClock, readTimeoutMs = READ_TIMEOUT_MS, manualCompaction } = setup;
  const id = crypto.randomUUID();
  const retain = toRetain(setup.retain);
  const opening = createOpening(clock, readTimeoutMs, setup.isResume ?? false, setup.signal);
  const { toNative = (frame: In): unknown => frame, present = toNative } = setup;
  const frames = createFrameLog(retain, toNative as (frame: unknown) => unknown);
  let isPaused = false;
  let isClosed = false;
  let exitFacts: ExitFacts = {};
  const listeners = createListeners(redactor, () => session.status());

  const updatePause = () => {
    const wanted = !isClosed && journal.log.isBehind() && !control.isHolding && !aborts.isPending;
    if (wanted === isPaused) return;
    isPaused = wanted;
    if (wanted) wire.pause();
    else wire.resume();
  };
  const journal: Journal = createJournal({
    id,
    retain,
    redactor,
    checkpoint: setup.checkpoint,
    isLate: (requestId) => control.isLate(requestId),
    onReaderMoved: () => updatePause(),
  });

  const deltas = createDeltas(redactor);
  const logged = (draft: RecordDraft, bytes: number, atMs: number) => {
    const record = journal.publish(draft, bytes, atMs);
    if (record) listeners.add(record);
    return record;
  };
  const publish = (draft: RecordDraft, bytes = 0, atMs = clock.now()) => {
    for (const whole of deltas.take(draft)) {
      const record = logged(whole, bytes, atMs);
      if (!record) return;
      inputs.onRecord(record);
      permissions.onRecord(record);
      opening.onRecord(record);
    }
  };
  /** Deltas are told to nobody but the log and its readers. */
  const publishRun = (run: readonly Told[], atMs: number) => {
    for (const { draft, bytes } of deltas.takeRun(run))
      draft.type === 'assistant_delta' ? logged(draft, bytes, atMs) : publish(draft, bytes, atMs);
  };

  const closeLog = (why: EndReason, exit: ExitFacts) => {
    if (isClosed) return;
    const said = exit.stderrTail ? { stderrTail: exit.stderrTail } : {};
    publish({ type: 'process_exited', code: exit.code, signal: exit.signal, ...said });
    publish({ type: 'session_closed', why });
    isClosed = true;
    journal.close();
    listeners.close();
  };

  const finish = (
    outcome: Outcome,
    facts: { requestId: string; dispatchedAtMs?: number; settledAtMs?: number },
  ): CompactionResult => {
    const { vendorVersion } = journal.view.statusState;
    const envelope = {
      sessionId: id,
      runtime: setup.runtime,
      ...(vendorVersion === undefined ? {} : { vendorVersion }),
      ...facts,
    };
    const text = {
      ...('message' in outcome && outcome.message !== undefined ? { message: redactor.message(outcome.message) } : {}),
      ...('summary' in outcome && outcome.summary !== undefined ? { summary: redactor.text(outcome.summary) } : {}),
    };
    return { ...outcome, ...text, ...envelope } as CompactionResult;
  };

  let loop: Loop<Out, S>;
  const rooms = { machine, loop: () => loop, clock, newId: () => crypto.randomUUID() };
  const hasUnread = () => wire.hasUnread?.() === true;
  const inputs: Inputs = createInputs({
    ...rooms,
    publish,
    isSlotFree: () => !control.isHolding,
    hasUnread,
    reservedCommand: setup.reservedCommand ?? (() => undefined),
  });
  const permissions: Permissions = createPermissions({ ...rooms, callback: setup.permissions });
  const control: Control<Out, S> = createControl({
    ...rooms,
    isDeclared: manualCompaction !== undefined,
    hasUnread,
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
      return journal.view.statusState.nativeId;
    },
    get vendorVersion() {
      return journal.view.statusState.vendorVersion;
    },
    get promptChange() {
      return setup.promptChange(journal.view.statusState.vendorVersion, loop.state);
    },
    send: inputs.send,
    compact: control.compact,
    abort: aborts.abort,
    status: () => shownStatus(journal.view.statusState, loop.isEnded),
    checkpoint: () => toCheckpoint(setup.runtime, journal.log.cursor(), journal.view),
    records: (after, options) => journal.log.read(after, options?.required === true),
    on: listeners.on,
    frame: frames.frame,
    dispose: () => (disposal ??= dispose()),
    [Symbol.asyncDispose]: () => session.dispose(),
  };

  publish(toLogOpened(setup));
  loop = startLoop(
    { machine, facts: setup.facts, wire, frames, clock },
    {
      publish,
      publishRun,
      present,
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
        permissions.end();
        control.end(why);
        aborts.end();
        inputs.end();
        opening.ended(exit);
        if (why !== 'disposed') closeLog(why, exit);
      },
    },
  );
  try {
    await opening.done;
  } catch (error) {
    await session.dispose();
    throw error;
  }
  return session;
}
