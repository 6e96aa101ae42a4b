import type { LoopRooms, Told } from './loop-rooms.ts';
import type { EndReason, Entry, EntryBody, ExitFacts, HostAsk, Step, Wire, Write } from './machine.ts';

/** A step that says something and asks for nothing. */
function isMere({ settlement, writes, answered }: Step<unknown, unknown>): boolean {
  return settlement === undefined && writes === undefined && answered === undefined;
}

function toEnd(why: EndReason, exit: ExitFacts | undefined): EntryBody<never, never> {
  return { dir: 'end', why, ...(exit?.code === undefined ? {} : { code: exit.code }) };
}

/** The work list over entries: log → step → records → write → settle → gate and inputs → user code. Knows no vendor. */
export class Loop<In, Out, S, F> {
  readonly #rooms: LoopRooms<In, Out, S, F>;
  readonly #queue: { body: EntryBody<In, Out>; bytes: number; exit?: ExitFacts | undefined }[] = [];
  #state!: S; // from `start` on
  #isEnded = false;
  #isRunning = false;
  #isDirty = false; // something was done since the gate and the inputs were last asked

  constructor(rooms: LoopRooms<In, Out, S, F>) {
    this.#rooms = rooms;
  }

  get state(): S {
    return this.#state;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Writes what opens the session, and takes in what comes from now on. Call it once, when the hooks are ready. */
  start(): void {
    const { machine, setup, clock } = this.#rooms;
    const { facts, wire } = setup;
    const { state, records, writes = [] } = machine.init(facts);
    this.#state = state;
    this.run(() => {
      for (const record of records) this.#rooms.publish(record, 0, clock.now());
      wire.start(this.#listening());
      for (const { frame, ref } of writes) this.#process({ dir: 'out', frame, ref }, 0);
    });
  }

  /** Puts what a host asked into the log and steps the machine with it; the number of the entry. */
  host(ask: HostAsk): number {
    return this.run(() => this.#process({ dir: 'host', ...ask }, 0).n);
  }

  /** Logs, steps and then writes a frame, all in this call; the time of the entry. Writes nothing once ended. */
  write({ frame, ref }: Write<Out>): number {
    return this.run(() => (this.#isEnded ? this.#rooms.clock.now() : this.#process({ dir: 'out', frame, ref }, 0).atMs));
  }

  /** Ends the log for the machine; later frames are recorded and not applied (R5). */
  end(why: EndReason, exit?: ExitFacts): void {
    this.run(() => this.#take(toEnd(why, exit), 0, exit));
  }

  /** Runs `work` as one turn of the loop, with the gate, the inputs and user code after it; inside a turn it is part of that one. */
  run<T>(work: () => T): T {
    this.#isDirty = true;
    if (this.#isRunning) return work();
    this.#isRunning = true;
    try {
      const result = work();
      this.#quiet();
      for (let item = this.#queue.shift(); item; item = this.#queue.shift()) {
        this.#take(item.body, item.bytes, item.exit);
        this.#quiet();
      }
      return result;
    } finally {
      this.#isRunning = false;
    }
  }

  #listening(): Parameters<Wire<In, Out>['start']>[0] {
    return {
      frame: (frame, bytes) => this.#receive({ dir: 'in', frame }, bytes),
      run: (frames, bytes) => this.#receiveRun(frames, bytes),
      read: () => this.run(() => undefined),
      end: (why, exit) => this.#receive(toEnd(why, exit), 0, exit),
    };
  }

  #log(body: EntryBody<In, Out>, bytes: number): Entry<In, Out> {
    const { frames, clock } = this.#rooms;
    const entry = { n: frames.next(), atMs: clock.now(), ...body };
    frames.append(entry, bytes);
    return entry;
  }

  #process(body: EntryBody<In, Out>, bytes: number): Entry<In, Out> {
    const entry = this.#log(body, bytes);
    try {
      this.#apply(this.#rooms.machine.step(this.#state, entry), entry, bytes);
    } catch {
      this.#fail(entry);
    }
    return entry;
  }

  #apply(step: Step<S, Out>, entry: Entry<In, Out>, bytes: number): void {
    this.#state = step.state;
    for (const record of step.records) this.#rooms.publish(record, bytes, entry.atMs);
    if (entry.dir === 'out') this.#rooms.setup.wire.write(entry.frame);
    this.#rooms.onStep(step, entry);
    for (const { frame, ref } of step.writes ?? []) this.#process({ dir: 'out', frame, ref }, 0);
  }

  /** No frame may take the host down: what cannot be handled ends this session, and nothing is claimed. */
  #fail(entry: Entry<In, Out>): void {
    if (entry.dir !== 'end') this.#queue.push({ body: { dir: 'end', why: 'transport_lost' }, bytes: 0 });
  }

  /**
   * Frames that came together. While they leave the machine the very same and only say something, what they say is told of once for
   * all of them (-14 %): the gate and the inputs wait for what was read with them anyway.
   */
  #processRun(given: readonly In[], sizes: readonly number[]): void {
    const { machine, frames, clock } = this.#rooms;
    const atMs = clock.now();
    let run: Told[] = [];
    for (let place = 0; place < given.length; place += 1) {
      const bytes = sizes[place] ?? 0;
      const entry: Entry<In, Out> = { n: frames.next(), atMs, dir: 'in', frame: given[place] as In };
      frames.append(entry, bytes);
      try {
        const step = machine.step(this.#state, entry);
        if (step.state === this.#state && isMere(step)) {
          for (const draft of step.records) run.push({ draft, bytes });
        } else {
          this.#rooms.publishRun(run, atMs);
          run = [];
          this.#apply(step, entry, bytes);
        }
      } catch {
        this.#fail(entry);
        // What came with it is recorded behind the end, and not applied (R5).
        for (let rest = place + 1; rest < given.length; rest += 1)
          this.#queue.push({ body: { dir: 'in', frame: given[rest] as In }, bytes: sizes[rest] ?? 0 });
        break;
      }
    }
    this.#rooms.publishRun(run, atMs);
  }

  #take(body: EntryBody<In, Out>, bytes: number, exit: ExitFacts = {}): void {
    if (this.#isEnded) {
      if (body.dir === 'in') {
        const { n, atMs } = this.#log(body, bytes);
        this.#rooms.publish({ type: 'late_frame', frame: n, native: this.#rooms.present(body.frame) }, bytes, atMs);
      }
      if (body.dir === 'end') this.#rooms.onLateExit(exit);
      return;
    }
    this.#process(body, bytes);
    if (body.dir !== 'end') return;
    this.#isEnded = true;
    this.#rooms.onEnd(body.why, exit);
  }

  #quiet(): void {
    do {
      this.#isDirty = false;
      if (!this.#isEnded) this.#rooms.onQuiet();
      this.#rooms.deliver();
    } while (this.#isDirty);
  }

  #receive(body: EntryBody<In, Out>, bytes: number, exit?: ExitFacts): void {
    if (this.#isRunning) this.#queue.push({ body, bytes, exit });
    else this.run(() => this.#take(body, bytes, exit));
  }

  #receiveRun(given: readonly In[], sizes: readonly number[]): void {
    if (!this.#isRunning && !this.#isEnded) return void this.run(() => this.#processRun(given, sizes));
    given.forEach((frame, place) => {
      this.#receive({ dir: 'in', frame }, sizes[place] ?? 0);
    });
  }
}
