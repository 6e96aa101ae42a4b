import type { Clock } from './clock.ts';
import type { FrameLog } from './frames.ts';
import type { EndReason, Entry, ExitFacts, Machine, Step, Wire } from './machine.ts';
import type { RecordDraft } from './record.ts';

/** What a frame says, with what the frame cost on the wire. */
export interface Told {
  readonly draft: RecordDraft;
  readonly bytes: number;
}

/** The rooms around the loop: what it runs over, and what they do with each step. All of it is synchronous and inside the loop's own turn. */
export interface LoopRooms<In, Out, S, F> {
  readonly setup: { readonly facts: F; readonly wire: Wire<In, Out> };
  readonly machine: Machine<In, Out, S, F>;
  readonly frames: FrameLog;
  readonly clock: Clock;
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
