/** A model that an enumeration forks: immutable data, so that every branch starts from the same place. */
export interface EnumerationModel<M, E> {
  readonly events: readonly E[];
  /** The model after the event; the same model where the event changes nothing. */
  apply(model: M, event: E): M;
  /** The name of the invariant that is broken, if any. */
  check(before: M, event: E, after: M): string | undefined;
}

export interface Enumerated {
  /** Sequences that are covered in full; one that holds an event without effect is run as the shorter one that it equals. */
  readonly sequences: number;
  /** Events that were applied and checked. */
  readonly steps: number;
}

/** Runs every sequence of `length` events; throws with the first one that breaks an invariant. Nothing follows where nothing can happen. */
export function enumerate<M, E>(
  model: EnumerationModel<M, E>,
  start: M,
  length: number,
  describe: (event: E) => string,
): Enumerated {
  const walk = createWalk(model, describe);
  /** How many sequences of each length up to `left` start here. */
  const visit = (state: M, left: number): number[] => {
    const counts = [1, ...Array<number>(left).fill(0)];
    if (left === 0) return counts;
    let effectless = 0;
    for (const event of model.events) {
      const next = walk.step(state, event);
      if (next === state) effectless += 1;
      else for (const [at, count] of visit(next, left - 1).entries()) counts[at + 1] = (counts[at + 1] ?? 0) + count;
      walk.back();
    }
    if (effectless === model.events.length) return counts;
    for (let at = 1; at <= left; at += 1) counts[at] = (counts[at] ?? 0) + effectless * (counts[at - 1] ?? 0);
    return counts;
  };
  return { sequences: visit(start, length)[length] ?? 0, steps: walk.steps };
}

/** Runs one sequence and checks every step; the model behind it. */
export function runSequence<M, E>(
  model: EnumerationModel<M, E>,
  start: M,
  sequence: readonly E[],
  describe: (event: E) => string,
): M {
  const walk = createWalk(model, describe);
  return sequence.reduce<M>(walk.step, start);
}

/** The steps of one sequence, with its name for the message when an invariant breaks. */
function createWalk<M, E>(model: EnumerationModel<M, E>, describe: (event: E) => string) {
  const path: E[] = [];
  const walk = {
    steps: 0,
    step(state: M, event: E): M {
      walk.steps += 1;
      path.push(event);
      const next = model.apply(state, event);
      const broken = model.check(state, event, next);
      if (broken) throw new Error(`${broken}: ${path.map(describe).join(' → ')}`);
      return next;
    },
    back: () => void path.pop(),
  };
  return walk;
}

/** What `insertions` is told of each sequence that ran to its end. */
type AtEnd<M, E> = (end: M, inserted: readonly E[]) => string | undefined;

/**
 * Runs a proof with every way to insert up to `most` of the model's events at any places; what the sequences share is run once.
 * `atEnd` may name what is wrong with the end of one.
 */
export function insertions<M, E>(
  model: EnumerationModel<M, E>,
  start: M,
  proof: readonly E[],
  most: number,
  describe: (event: E) => string,
  atEnd: AtEnd<M, E> = () => undefined,
): Enumerated {
  const walk = createWalk(model, describe);
  const inserted: E[] = [];
  /** How many sequences go on from here, by how many insertions they may still take. */
  const visit = (state: M, at: number, left: number): number[] => {
    const event = proof[at];
    let counts = Array<number>(left + 1).fill(1);
    if (at < proof.length) {
      counts = visit(walk.step(state, event as E), at + 1, left);
      walk.back();
    } else {
      const wrong = atEnd(state, inserted);
      if (wrong) throw new Error(`${wrong}, with ${inserted.map(describe).join(', ')} in ${proof.map(describe).join(' → ')}`);
    }
    if (left === 0) return counts;
    let effectless = 0;
    for (const other of model.events) {
      const next = walk.step(state, other);
      inserted.push(other);
      if (next === state) effectless += 1;
      else for (const [count, more] of visit(next, at, left - 1).entries()) counts[count + 1] = (counts[count + 1] ?? 0) + more;
      inserted.pop();
      walk.back();
    }
    for (let count = 1; count <= left; count += 1) counts[count] = (counts[count] ?? 0) + effectless * (counts[count - 1] ?? 0);
    return counts;
  };
  return { sequences: visit(start, 0, most)[most] ?? 0, steps: walk.steps };
}

/** One sequence, and every way to delete, repeat or swap its events. */
export function* disturbances<E>(proof: readonly E[]): Generator<readonly E[]> {
  yield proof;
  for (let at = 0; at < proof.length; at += 1) {
    const item = proof[at] as E;
    yield [...proof.slice(0, at), ...proof.slice(at + 1)];
    for (let to = at; to <= proof.length; to += 1) yield [...proof.slice(0, to), item, ...proof.slice(to)];
    for (let other = at + 1; other < proof.length; other += 1) {
      const swapped = [...proof];
      swapped[at] = proof[other] as E;
      swapped[other] = item;
      yield swapped;
    }
  }
}
