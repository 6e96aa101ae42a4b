import type { Clock } from './clock.ts';
import type { FrameLog } from './frames.ts';
import type { EndReason, Entry, EntryBody, ExitFacts, HostAsk, Machine, Step, Wire, Write } from './machine.ts';
import type { RecordDraft } from './record.ts';

/** What a frame says, with what the frame cost on the wire. */
export interface Told {
  readonly draft: RecordDraft;
  readonly bytes: number;
}

/** What the rooms around the loop do with each step. All of it is synchronous and inside the loop's own turn. */
export interface LoopHooks<In, Out, S> {
  /** Logs a record; user code hears of it in `deliver`. */
  publish(draft: RecordDraft, bytes: number, atMs: number): void;
  /** The same for frames that came together and moved nothing. */
  publishRun(run: readonly Told[], atMs: number): void;
  /** How a frame is shown in a record. */
  present(frame: In): unknown;
  /** The machine was stepped: settle, resolve answers. */
  onStep(step: Step<S, Out>, entry: Entry<In, Out>): void;
  /** Nothing is half done: ask the gate, write cancels and held inputs. */
  onQuiet(): void;
  /** The one place where user code may run. */
  deliver(): void;
  onEnd(why: EndReason, exit: ExitFacts): void;
  /** The wire reported its end after the session had ended for another reason. */
  onLateExit(exit: ExitFacts): void;
}

export interface Loop<Out, S> {
  readonly state: S;
  readonly isEnded: boolean;
  /** Puts what a host asked into the log and steps the machine with it; the number of the entry. */
  host(ask: HostAsk): number;
  /** Logs, steps and then writes a frame, all in this call; the time of the entry. Writes nothing once ended. */
  write(write: Write<Out>): number;
  /** Ends the log for the machine; later frames are recorded and not applied (R5). */
  end(why: EndReason, exit?: ExitFacts): void;
  /** Runs `work` as one turn of the loop, with the gate, the inputs and user code after it. */
  run<T>(work: () => T): T;
}

/** A step that says something and asks for nothing. */
function isMere({ settlement, writes, answered }: Step<unknown, unknown>): boolean {
  return settlement === undefined && writes === undefined && answered === undefined;
}

/** The work list over entries: log → step → records → write → settle → gate and inputs → user code. Knows no vendor. */
export function startLoop<In, Out, S, F>(
  {
    machine,
    facts,
    wire,
    frames,
    clock,
  }: { machine: Machine<In, Out, S, F>; facts: F; wire: Wire<In, Out>; frames: FrameLog; clock: Clock },
  hooks: LoopHooks<In, Out, S>,
): Loop<Out, S> {
  const opening = machine.init(facts);
  let state = opening.state;
  let isEnded = false;
  let isRunning = false;
  let isDirty = false; // something was done since the gate and the inputs were last asked
  const queue: { body: EntryBody<In, Out>; bytes: number; exit?: ExitFacts }[] = [];

  const log = (body: EntryBody<In, Out>, bytes: number): Entry<In, Out> => {
    const entry = { n: frames.next(), atMs: clock.now(), ...body };
    frames.append(entry, bytes);
    return entry;
  };

  const process = (body: EntryBody<In, Out>, bytes: number): Entry<In, Out> => {
    const entry = log(body, bytes);
    try {
      apply(machine.step(state, entry), entry, bytes);
    } catch {
      fail(entry);
    }
    return entry;
  };

  const apply = (step: Step<S, Out>, entry: Entry<In, Out>, bytes: number) => {
    state = step.state;
    for (const record of step.records) hooks.publish(record, bytes, entry.atMs);
    if (entry.dir === 'out') wire.write(entry.frame);
    hooks.onStep(step, entry);
    for (const { frame, ref } of step.writes ?? []) process({ dir: 'out', frame, ref }, 0);
  };

  /** No frame may take the host down: what cannot be handled ends this session, and nothing is claimed. */
  const fail = (entry: Entry<In, Out>) => {
    if (entry.dir !== 'end') queue.push({ body: { dir: 'end', why: 'transport_lost' }, bytes: 0 });
  };

  /**
   * Frames that came together. While they leave the machine the very same and only say something, what they say is told of once for
   * all of them (-14 %): the gate and the inputs wait for what was read with them anyway.
   */
  const processRun = (given: readonly In[], sizes: readonly number[]) => {
    const atMs = clock.now();
    let run: Told[] = [];
    for (let place = 0; place < given.length; place += 1) {
      const bytes = sizes[place] ?? 0;
      const entry: Entry<In, Out> = { n: frames.next(), atMs, dir: 'in', frame: given[place] as In };
      frames.append(entry, bytes);
      try {
        const step = machine.step(state, entry);
        if (step.state === state && isMere(step)) {
          for (const draft of step.records) run.push({ draft, bytes });
        } else {
          hooks.publishRun(run, atMs);
          run = [];
          apply(step, entry, bytes);
        }
      } catch {
        fail(entry);
      }
    }
    hooks.publishRun(run, atMs);
  };

  const take = (body: EntryBody<In, Out>, bytes: number, exit: ExitFacts = {}) => {
    if (isEnded) {
      if (body.dir === 'in') {
        const { n, atMs } = log(body, bytes);
        hooks.publish({ type: 'late_frame', frame: n, native: hooks.present(body.frame) }, bytes, atMs);
      }
      if (body.dir === 'end') hooks.onLateExit(exit);
      return;
    }
    process(body, bytes);
    if (body.dir !== 'end') return;
    isEnded = true;
    hooks.onEnd(body.why, exit);
  };

  const quiet = () => {
    do {
      isDirty = false;
      if (!isEnded) hooks.onQuiet();
      hooks.deliver();
    } while (isDirty);
  };

  /** Inside a turn, `work` is part of that one. */
  const turn = <T>(work: () => T): T => {
    isDirty = true;
    if (isRunning) return work();
    isRunning = true;
    try {
      const result = work();
      quiet();
      for (let item = queue.shift(); item; item = queue.shift()) {
        take(item.body, item.bytes, item.exit);
        quiet();
      }
      return result;
    } finally {
      isRunning = false;
    }
  };

  const receive = (body: EntryBody<In, Out>, bytes: number, exit?: ExitFacts) => {
    if (isRunning) queue.push({ body, bytes, ...(exit ? { exit } : {}) });
    else turn(() => take(body, bytes, exit));
  };

  const receiveRun = (given: readonly In[], sizes: readonly number[]) => {
    if (!isRunning && !isEnded) return void turn(() => processRun(given, sizes));
    given.forEach((frame, place) => void receive({ dir: 'in', frame }, sizes[place] ?? 0));
  };

  const loop: Loop<Out, S> = {
    get state() {
      return state;
    },
    get isEnded() {
      return isEnded;
    },
    host: (ask) => turn(() => process({ dir: 'host', ...ask }, 0).n),
    write: ({ frame, ref }) => turn(() => (isEnded ? clock.now() : process({ dir: 'out', frame, ref }, 0).atMs)),
    end: (why, exit) =>
      void turn(() => take({ dir: 'end', why, ...(exit?.code === undefined ? {} : { code: exit.code }) }, 0, exit)),
    run: turn,
  };

  turn(() => {
    for (const record of opening.records) hooks.publish(record, 0, clock.now());
    wire.start({
      frame: (frame, bytes) => receive({ dir: 'in', frame }, bytes),
      run: receiveRun,
      read: () => turn(() => undefined),
      end: (why, exit) => receive({ dir: 'end', why, ...(exit?.code === undefined ? {} : { code: exit.code }) }, 0, exit),
    });
    for (const { frame, ref } of opening.writes ?? []) process({ dir: 'out', frame, ref }, 0);
  });
  return loop;
}
