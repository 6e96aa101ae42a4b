import { NativeCompactionError } from './errors.ts';
import type { Loop } from './loop.ts';
import type { Machine } from './machine.ts';
import type { InputOutcome, RecordDraft } from './record.ts';
import type { Input, InputHandle } from './session.ts';

export interface Inputs {
  send(input: Input): InputHandle;
  /** Writes the next held input if the native side is idle and the slot is free (S2, S3). */
  advance(): void;
  onRecord(record: RecordDraft): void;
  /** Reports every input that has no end (S5). */
  end(): void;
  readonly held: number;
}

export interface InputDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: () => Loop<Out, S>;
  readonly publish: (draft: RecordDraft) => void;
  readonly isSlotFree: () => boolean;
  /** True while frames that have arrived are still to be told: one of them may start what an input must not meet. */
  readonly hasUnread: () => boolean;
  /** Says why this text is a command of the vendor and what to call instead, or undefined. */
  readonly reservedCommand: (text: string) => string | undefined;
  readonly newId: () => string;
}

type Delivery = 'delivered' | 'undelivered' | 'unconfirmed';
interface Item {
  readonly id: string;
  readonly text: string;
  readonly deliver: (delivery: Delivery) => void;
  readonly finish: (outcome: InputOutcome) => void;
}

/** Held inputs and their handles; one is on its way at a time, so that no later one overtakes or merges with it. */
export function createInputs<In, Out, S, F>(deps: InputDeps<In, Out, S, F>): Inputs {
  const held: Item[] = [];
  let current: Item | undefined;

  /** The first settlement of a promise is the one that counts, so the order of these two calls decides nothing. */
  const settle = (item: Item, outcome: InputOutcome) => {
    item.deliver(outcome === 'undelivered' ? 'undelivered' : outcome === 'unconfirmed' ? 'unconfirmed' : 'delivered');
    item.finish(outcome);
  };
  const drop = (item: Item, outcome: InputOutcome) => {
    settle(item, outcome);
    deps.publish({ type: 'input_ended', inputId: item.id, outcome });
  };

  const withdraw = (item: Item): boolean => {
    const place = held.indexOf(item);
    if (place < 0) return false;
    held.splice(place, 1);
    deps.loop().run(() => drop(item, 'undelivered'));
    return true;
  };

  return {
    send(input) {
      const text = checkInput(input, deps.reservedCommand);
      const delivered = Promise.withResolvers<Delivery>();
      const ended = Promise.withResolvers<InputOutcome>();
      const item: Item = { id: deps.newId(), text, deliver: delivered.resolve, finish: ended.resolve };
      const handle = { id: item.id, delivered: delivered.promise, ended: ended.promise, withdraw: () => withdraw(item) };
      if (deps.loop().isEnded) {
        settle(item, 'undelivered');
        return handle;
      }
      held.push(item);
      deps.loop().run(() => deps.publish({ type: 'input_accepted', inputId: item.id, text }));
      return handle;
    },
    advance() {
      if (current || held.length === 0 || !deps.isSlotFree() || deps.hasUnread()) return;
      if (deps.machine.busy(deps.loop().state) !== undefined) return;
      current = held.shift();
      if (!current) return;
      const { id, text } = current;
      deps.loop().write({ frame: deps.machine.input(deps.loop().state, { id, text }), ref: { kind: 'input', id } });
    },
    onRecord(record) {
      if (!current) return;
      if (record.type === 'input_received' && record.inputId === current.id) current.deliver('delivered');
      if (record.type === 'input_held' && record.inputId === current.id) {
        held.unshift(current);
        current = undefined;
        return;
      }
      if (record.type === 'input_ended' && record.inputId === current.id) {
        const item = current;
        current = undefined;
        settle(item, record.outcome);
      }
    },
    end() {
      const last = current;
      current = undefined;
      if (last) drop(last, 'unconfirmed');
      for (const item of held.splice(0)) drop(item, 'undelivered');
    },
    get held() {
      return held.length;
    },
  };
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
