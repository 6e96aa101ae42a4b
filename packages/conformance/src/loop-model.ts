import { freeSlot, type Machine, type Outcome, type Ref, type Slot, type SlotEvent, stepSlot } from '@native-compaction/core';

/** A machine with the slot and the held inputs as one value, stepped in the loop's own order; enumeration forks it. */
export interface LoopModel<S> {
  readonly n: number;
  readonly state: S;
  readonly slot: Slot;
  /** The entry that began the gate of the open control. */
  readonly since: number;
  readonly held: number;
  readonly written: number;
  readonly ended: number;
  readonly outcome?: Outcome;
  readonly outcomes: number;
  readonly settlements: number;
  readonly isOver: boolean;
  /** How many links of each named proof were seen in order since the dispatch, by an oracle that knows no stage. */
  readonly links: Readonly<Record<string, number>>;
}

/** What can happen: a frame, with the link of a proof it is; an answer to something that was asked; or a host's doing. */
export type Happening<In, S> =
  | { readonly name: string; readonly frame: In; readonly link?: string }
  | { readonly name: string; readonly answer: (state: S) => In | undefined }
  | { readonly name: string; readonly host: 'compact' | 'abort' | 'timeout' | 'signal' | 'send' | 'dispose' | 'exit' };

/** The ids the model uses for the operation, the input and the cancel. */
export const MODEL_IDS = { operation: 'uuid-ours', input: 'uuid-input', cancel: 'cancel-1', request: 'r' } as const;

export interface LoopModelSetup<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly facts: F;
  /** The frames that open the session. */
  readonly opening: readonly In[];
  /** The links of each proof, in order. */
  readonly proofs: Readonly<Record<string, readonly string[]>>;
}

/** The model of one backend: its idle start, and how one happening changes it. */
export function createLoopModel<In, Out, S, F>({ machine, facts, opening, proofs }: LoopModelSetup<In, Out, S, F>) {
  type Model = LoopModel<S>;
  const linked = Object.entries(proofs);
  const noLinks = Object.fromEntries(Object.keys(proofs).map((name) => [name, 0]));

  /** A happening that left nothing behind but its number: the model is then the one before it. */
  const settled = (before: Model, after: Model): Model => (isSame(before, after) ? before : after);

  const withSlot = (model: Model, event: SlotEvent): Model => {
    const { slot, outcome } = stepSlot(model.slot, event);
    return outcome ? { ...model, slot, outcome, outcomes: model.outcomes + 1 } : { ...model, slot };
  };

  const write = (model: Model, frame: Out, ref: Ref): Model => {
    const n = model.n + 1;
    const step = machine.step(model.state, { n, atMs: 0, dir: 'out', frame, ref });
    return (step.writes ?? []).reduce<Model>((next, out) => write(next, out.frame, out.ref), { ...model, n, state: step.state });
  };

  const receive = (model: Model, frame: In, link?: string): Model => {
    const n = model.n + 1;
    const step = machine.step(model.state, { n, atMs: 0, dir: 'in', frame });
    let next: Model = { ...model, n, state: step.state };
    if (model.slot.phase === 'dispatched' && link !== undefined) {
      for (const [name, order] of linked) {
        const at = next.links[name] ?? 0;
        if (order[at] === link) next = { ...next, links: { ...next.links, [name]: at + 1 } };
      }
    }
    for (const record of step.records) {
      if (record.type === 'input_ended') next = { ...next, written: next.written - 1, ended: next.ended + 1 };
      if (record.type === 'input_held') next = { ...next, written: next.written - 1, held: next.held + 1 };
    }
    for (const out of step.writes ?? []) next = write(next, out.frame, out.ref);
    if (!step.settlement) return next;
    return withSlot({ ...next, settlements: next.settlements + 1 }, { type: 'settle', settlement: step.settlement });
  };

  /** The loop's quiet point: the gate first, then one held input. */
  const quiet = (model: Model): Model => {
    let next = model;
    if (next.slot.phase === 'reserved') {
      const admission = machine.admit(next.state, next.since);
      if ('reject' in admission) next = withSlot(next, { type: 'refuse', reason: admission.reject });
      else if ('ask' in admission) for (const out of admission.ask) next = write(next, out.frame, out.ref);
      else if ('go' in admission) {
        next = withSlot(next, { type: 'dispatch' });
        const frame = machine.compact(next.state, { requestId: MODEL_IDS.request, operationId: MODEL_IDS.operation });
        next = write(next, frame, { kind: 'compact', id: MODEL_IDS.operation });
      }
    }
    if (next.slot.phase !== 'free' || next.held === 0 || next.written > 0 || machine.busy(next.state)) return next;
    const frame = machine.input(next.state, { id: MODEL_IDS.input, text: 'x' });
    return write({ ...next, held: next.held - 1, written: next.written + 1 }, frame, { kind: 'input', id: MODEL_IDS.input });
  };

  const request = { ask: 'compact', requestId: MODEL_IDS.request, operationId: MODEL_IDS.operation } as const;
  const compact = (model: Model): Model => {
    if (model.slot.phase !== 'free' || model.held > 0 || machine.busy(model.state)) return model;
    const { outcome: _last, ...fresh } = model;
    const reserved = withSlot(
      { ...fresh, outcomes: 0, settlements: 0, links: noLinks },
      { type: 'reserve', requestId: MODEL_IDS.request },
    );
    const n = model.n + 1;
    const step = machine.step(reserved.state, { n, atMs: 0, dir: 'host', ...request });
    return quiet({ ...reserved, n, since: n, state: step.state });
  };

  const abort = (model: Model): Model => {
    if (model.slot.phase === 'reserved') return quiet(withSlot(model, { type: 'refuse', reason: 'aborted' }));
    const frame = machine.cancel(model.state, MODEL_IDS.cancel);
    return frame === undefined ? model : write(model, frame, { kind: 'cancel', id: MODEL_IDS.cancel });
  };

  const end = (model: Model, why: 'process_exit' | 'disposed'): Model => {
    const n = model.n + 1;
    const { state } = machine.step(model.state, { n, atMs: 0, dir: 'end', why });
    const over = withSlot({ ...model, n, state }, { type: 'end', why, trail: machine.trail(state) });
    return { ...over, isOver: true, ended: over.ended + over.held + over.written, held: 0, written: 0 };
  };

  const apply = (model: Model, happening: Happening<In, S>): Model => {
    if (model.isOver) return model;
    if ('frame' in happening) return settled(model, quiet(receive(model, happening.frame, happening.link)));
    if ('answer' in happening) {
      const frame = happening.answer(model.state);
      return frame === undefined ? model : settled(model, quiet(receive(model, frame)));
    }
    switch (happening.host) {
      case 'compact':
        return compact(model);
      case 'abort':
        return abort(model);
      case 'send':
        return quiet({ ...model, held: model.held + 1 });
      case 'timeout':
      case 'signal':
        if (model.slot.phase !== 'dispatched') return model;
        return withSlot(model, { type: 'stop_waiting', reason: happening.host, trail: machine.trail(model.state) });
      default:
        return end(model, happening.host === 'exit' ? 'process_exit' : 'disposed');
    }
  };

  const first = machine.init(facts);
  const blank = {
    n: 0,
    state: first.state,
    slot: freeSlot,
    since: 0,
    held: 0,
    written: 0,
    ended: 0,
    outcomes: 0,
    settlements: 0,
    isOver: false,
    links: noLinks,
  };
  const opened = (first.writes ?? []).reduce<Model>((model, out) => write(model, out.frame, out.ref), blank);
  return { idle: opening.reduce<Model>((model, frame) => receive(model, frame), opened), apply };
}

/** True if two models differ in nothing but the number of the last entry, which only tells later entries from earlier ones. */
function isSame<S>(before: LoopModel<S>, after: LoopModel<S>): boolean {
  return hasSameMembers(before, after, 'state') && hasSameMembers(before.state, after.state);
}

function hasSameMembers<T>(before: T, after: T, apart?: keyof T): boolean {
  if (before === after) return true;
  for (const name in after) if (name !== 'n' && name !== apart && after[name] !== before[name]) return false;
  for (const name in before) if (after[name] === undefined && before[name] !== undefined) return false;
  return true;
}

/** What must hold after every event, whatever came before it; the name of the promise that is broken, if any. */
export function brokenPromise<S>(
  before: LoopModel<S>,
  after: LoopModel<S>,
  proofs: Readonly<Record<string, readonly string[]>>,
  provenBy: Readonly<Record<'completed' | 'failed' | 'aborted', readonly string[]>>,
): string | undefined {
  const { outcome } = after;
  if (after.outcomes > 1) return 'R1 more than one result';
  if (after.settlements > 1) return 'R6 more than one settlement';
  if (outcome !== before.outcome && outcome !== undefined && outcome.status in provenBy) {
    const names = provenBy[outcome.status as keyof typeof provenBy];
    const isProven = names.some((name) => (after.links[name] ?? 0) === proofs[name]?.length);
    if (!isProven) return `${outcome.status} without its proof in order`;
  }
  const isFreed = before.slot.phase === 'dispatched' && after.slot.phase === 'free';
  if (isFreed && after.settlements === before.settlements && !after.isOver)
    return 'S1 the slot was freed by something else than a native end or the end of the session';
  if (before.slot.phase !== 'free' && after.slot.phase !== 'free' && after.written > before.written)
    return 'S2 an input was written into the compaction';
  if (after.written > 1) return 'S3 two inputs on their way';
  return after.isOver && after.held + after.written > 0 ? 'S5 an input without an end' : undefined;
}
