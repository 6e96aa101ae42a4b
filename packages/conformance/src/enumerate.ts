/** A model that an enumeration forks: immutable data, so that every branch starts from the same place. */
export interface EnumerationModel<M, E> {
  readonly events: readonly E[];
  /** The model after the event; the same model where the event cannot happen. */
  apply(model: M, event: E): M;
  /** The name of the invariant that is broken, if any. */
  check(before: M, event: E, after: M): string | undefined;
}

export interface Enumerated {
  /** Sequences that ran to their full length or to the end of their model. */
  readonly sequences: number;
  readonly steps: number;
}

/** Runs every sequence of `length` events; throws with the first one that breaks an invariant. */
export function enumerate<M, E>(
  model: EnumerationModel<M, E>,
  start: M,
  length: number,
  describe: (event: E) => string,
): Enumerated {
  let sequences = 0;
  let steps = 0;
  const path: E[] = [];
  const visit = (state: M, left: number): void => {
    if (left === 0) {
      sequences += 1;
      return;
    }
    for (const event of model.events) {
      steps += 1;
      const next = model.apply(state, event);
      const broken = model.check(state, event, next);
      path.push(event);
      if (broken) throw new Error(`${broken}: ${path.map(describe).join(' → ')}`);
      if (next !== state) visit(next, left - 1);
      path.pop();
    }
  };
  visit(start, length);
  return { sequences, steps };
}

/** Every way to disturb one sequence: with up to `insertions` other events anywhere, each deletion, repetition and swap. */
export function* disturbances<E>(proof: readonly E[], others: readonly E[], insertions: number): Generator<readonly E[]> {
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
  yield* inserted(proof, others, insertions, 0);
}

function* inserted<E>(sequence: readonly E[], others: readonly E[], left: number, from: number): Generator<readonly E[]> {
  if (left === 0) return;
  for (let at = from; at <= sequence.length; at += 1) {
    for (const other of others) {
      const next = [...sequence.slice(0, at), other, ...sequence.slice(at)];
      yield next;
      yield* inserted(next, others, left - 1, at + 1);
    }
  }
}
