import { NativeCompactionError } from './errors.ts';
import type { Loop } from './loop.ts';
import type { Machine } from './machine.ts';
import type { InputOutcome, RecordDraft } from './record.ts';
import type { Input, InputHandle } from './session.ts';

/** What the inputs need from their neighbours. */
export interface InputDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: Loop<In, Out, S, F>;
  publish(draft: RecordDraft): void;
  isSlotFree(): boolean;
  /** True while frames that have arrived are still to be told: one of them may start what an input must not meet. */
  hasUnread(): boolean;
  /** Says why this text is a command of the vendor and what to call instead, or undefined. */
  reservedCommand(text: string): string | undefined;
}

type Delivery = 'delivered' | 'undelivered' | 'unconfirmed';
interface Item {
  readonly id: string;
  readonly text: string;
  readonly deliver: (delivery: Delivery) => void;
  readonly finish: (outcome: InputOutcome) => void;
}

/** Held inputs and their handles; one is on its way at a time, so that no later one overtakes or merges with it. */
export class Inputs<In, Out, S, F> {
  readonly #deps: InputDeps<In, Out, S, F>;
  readonly #held: Item[] = [];
  #current: Item | undefined;

  constructor(deps: InputDeps<In, Out, S, F>) {
    this.#deps = deps;
  }

  get held(): number {
    return this.#held.length;
  }

  send(input: Input): InputHandle {
    const { loop } = this.#deps;
    const text = checkInput(input, (given) => this.#deps.reservedCommand(given));
    const delivered = Promise.withResolvers<Delivery>();
    const ended = Promise.withResolvers<InputOutcome>();
    const item: Item = { id: crypto.randomUUID(), text, deliver: delivered.resolve, finish: ended.resolve };
    const withdraw = () => this.#withdraw(item);
    const handle = { id: item.id, delivered: delivered.promise, ended: ended.promise, withdraw };
    if (loop.isEnded) {
      settle(item, 'undelivered');
      return handle;
    }
    this.#held.push(item);
    loop.run(() => this.#deps.publish({ type: 'input_accepted', inputId: item.id, text }));
    return handle;
  }

  /** Writes the next held input if the native side is idle and the slot is free (S2, S3). */
  advance(): void {
    const { machine, loop } = this.#deps;
    if (this.#current || this.#held.length === 0 || !this.#deps.isSlotFree() || this.#deps.hasUnread()) return;
    if (machine.busy(loop.state) !== undefined) return;
    this.#current = this.#held.shift();
    if (!this.#current) return;
    const { id, text } = this.#current;
    loop.write({ frame: machine.input(loop.state, { id, text }), ref: { kind: 'input', id } });
  }

  onRecord(record: RecordDraft): void {
    const item = this.#current;
    if (!item) return;
    if (record.type === 'input_received' && record.inputId === item.id) item.deliver('delivered');
    if (record.type === 'input_held' && record.inputId === item.id) {
      this.#held.unshift(item);
      this.#current = undefined;
    }
    if (record.type === 'input_ended' && record.inputId === item.id) {
      this.#current = undefined;
      settle(item, record.outcome);
    }
  }

  /** Reports every input that has no end (S5). */
  end(): void {
    const last = this.#current;
    this.#current = undefined;
    if (last) this.#drop(last, 'unconfirmed');
    for (const item of this.#held.splice(0)) this.#drop(item, 'undelivered');
  }

  #withdraw(item: Item): boolean {
    const place = this.#held.indexOf(item);
    if (place < 0) return false;
    this.#held.splice(place, 1);
    this.#deps.loop.run(() => this.#drop(item, 'undelivered'));
    return true;
  }

  #drop(item: Item, outcome: InputOutcome): void {
    settle(item, outcome);
    this.#deps.publish({ type: 'input_ended', inputId: item.id, outcome });
  }
}

/** The first settlement of a promise is the one that counts, so the order of these two calls decides nothing. */
function settle(item: Item, outcome: InputOutcome): void {
  item.deliver(outcome === 'undelivered' ? 'undelivered' : outcome === 'unconfirmed' ? 'unconfirmed' : 'delivered');
  item.finish(outcome);
}

function checkInput(input: Input, reservedCommand: (text: string) => string | undefined): string {
  const text = typeof input === 'string' ? input : input?.text;
  if (typeof text !== 'string' || text.trim() === '') {
    throw new NativeCompactionError('invalid_input', 'send(): give a text that is not blank, or { text }.');
  }
  if (!text.isWellFormed()) {
    const message = 'send(): the text holds a half of a surrogate pair. Cut texts between characters, or use toWellFormed().';
    throw new NativeCompactionError('invalid_input', message);
  }
  const why = reservedCommand(text);
  if (why !== undefined) throw new NativeCompactionError('reserved_command', `send(): ${why}`);
  return text;
}
