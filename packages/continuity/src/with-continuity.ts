import type { CompactOptions, Input, InputHandle, ManualCompaction, Session, SessionRecord } from '@native-compaction/core';
import { type AnchorOptions, stillOpenAnchor } from './anchor.ts';
import { applyFact, applyFacts } from './apply-fact.ts';
import { contextFor } from './context.ts';
import { compactInstructions, type InstructionOptions } from './instructions.ts';
import { emptyLedger, entryOf, inFlightOf, type Ledger, type Relation, type RequestKind } from './ledger.ts';
import { onCompaction } from './on-compaction.ts';
import { factsFromRecord } from './session-facts.ts';

/** What a host knows of an input and its text does not say. */
export interface About {
  readonly kind?: RequestKind | undefined;
  readonly relation?: Relation | undefined;
  /** The request that this one refines or corrects. */
  readonly target?: string | undefined;
}

/** What was done for continuity, and what could not be. */
export type ContinuityEvent =
  /** A compaction was dispatched with the account as its instructions. */
  | { readonly did: 'instructed'; readonly requestId: string; readonly characters: number }
  /** The record of requests went to the vendor's hook; `ids` are in flight and anchored. */
  | { readonly did: 'placed'; readonly ids: readonly string[]; readonly characters: number }
  | { readonly did: 'prefixed'; readonly inputId: string; readonly ids: readonly string[] }
  | { readonly did: 'not_placed'; readonly reason: 'nothing_in_flight' | 'no_route' | 'hook_not_asked' };

export interface ContinuityOptions {
  /** The runtime's own declaration: `runtime.manualCompaction`. */
  readonly capability: Pick<ManualCompaction, 'instructions' | 'anchorRoute'> | undefined;
  /** A restored ledger to go on with. */
  readonly ledger?: Ledger | undefined;
  /** The caps of an anchor before the next input. */
  readonly anchor?: AnchorOptions | undefined;
  /** The most that `context()` gives, in UTF-16 units (default 10,000, what Claude Code takes). */
  readonly contextCharacters?: number | undefined;
  readonly instructions?: InstructionOptions | undefined;
  readonly onEvent?: ((event: ContinuityEvent) => void) | undefined;
}

/** A session that knows which requests are open. It writes only what the session's own calls accept. */
export interface ContinuitySession extends Session {
  readonly ledger: Ledger;
  send(input: Input, about?: About): InputHandle;
  /** Says later what an input was about. */
  relate(inputId: string, relation: Relation, target?: string): void;
  /** The text for a runtime's `compactionContext`: the record of requests, and the anchor of what is in flight. */
  context(): string | undefined;
}

/** Keeps the ledger of a session from its records and uses it at every compaction. Wrap a session before its first input. */
export function withContinuity(session: Session, options: ContinuityOptions): ContinuitySession {
  const { capability, onEvent = () => undefined } = options;
  const anchorRoute = capability?.anchorRoute ?? 'none';
  let ledger = options.ledger ?? emptyLedger;
  let sending: (About & { readonly prefix: string }) | undefined;
  let waiting: readonly string[] = []; // in flight at a compaction, and to be named before the next input
  const instructed = new Map<string, number>(); // characters by request, until the request is over
  let hook: 'idle' | 'placed' | 'expected' = 'idle';

  const follow = (record: SessionRecord) => {
    ledger = applyFacts(ledger, factsFromRecord(record).map(withText));
    if (record.type === 'input_accepted' && sending) typed(record.inputId, sending);
    if (record.type === 'compaction_dispatched') {
      const characters = instructed.get(record.requestId);
      if (characters !== undefined) onEvent({ did: 'instructed', requestId: record.requestId, characters });
    }
    if (record.type === 'compaction_started') hook = 'idle';
    if (record.type === 'compaction_ended') observe(record.origin, record.outcome);
    if (record.type === 'turn_ended' && hook === 'expected') {
      hook = 'idle';
      onEvent({ did: 'not_placed', reason: 'hook_not_asked' });
    }
  };
  const withText = (fact: ReturnType<typeof factsFromRecord>[number]) => {
    if (fact.t !== 'accepted' || !sending) return fact;
    const { prefix, kind } = sending;
    const text = fact.text.startsWith(prefix) ? fact.text.slice(prefix.length) : fact.text;
    return { ...fact, text, ...(kind === undefined ? {} : { kind }) };
  };
  const typed = (id: string, { relation, target }: About) => {
    if (relation !== undefined)
      ledger = applyFact(ledger, { t: 'related', id, relation, ...(target === undefined ? {} : { target }) });
  };
  const observe = (origin: 'manual' | 'automatic' | 'foreign', outcome: 'completed' | 'failed' | 'aborted' | 'unknown') => {
    if (outcome !== 'completed') return;
    if (anchorRoute === 'compaction-hook') {
      if (hook === 'idle') hook = 'expected';
      return;
    }
    const action = onCompaction(ledger, { origin, outcome }, { anchorRoute }, options.anchor);
    if (action.kind === 'prefix-next-input') waiting = [...new Set([...waiting, ...action.anchor.ids])];
    else if (action.kind === 'none' && action.reason !== 'not_completed') onEvent({ did: 'not_placed', reason: action.reason });
  };
  /** Only what can no longer be settled is named again: what still runs is kept for a later input. */
  const takeAnchor = () => {
    const entries = waiting.flatMap((id) => entryOf(ledger, id) ?? []).filter(({ state }) => state === 'open');
    waiting = entries.filter(({ inFlight }) => inFlight).map(({ id }) => id);
    return stillOpenAnchor(
      entries.filter(({ inFlight }) => !inFlight),
      options.anchor,
    );
  };

  session.on('record', follow);
  return {
    get id() {
      return session.id;
    },
    runtime: session.runtime,
    get nativeId() {
      return session.nativeId;
    },
    get vendorVersion() {
      return session.vendorVersion;
    },
    get promptChange() {
      return session.promptChange;
    },
    get ledger() {
      return ledger;
    },
    send(input, about = {}) {
      const text = typeof input === 'string' ? input : input?.text;
      // A command or a blank text goes as it is; what was waiting goes on waiting.
      const isPlain = (about.kind ?? 'prompt') === 'prompt' && typeof text === 'string' && text.trim() !== '';
      if (about.relation === 'replace') waiting = [];
      const anchor = isPlain ? takeAnchor() : null;
      const prefix = anchor ? `${anchor.render()}\n\n` : '';
      sending = { ...about, prefix };
      try {
        const handle = session.send(anchor ? `${prefix}${text}` : input);
        if (anchor) onEvent({ did: 'prefixed', inputId: handle.id, ids: anchor.ids });
        return handle;
      } catch (error) {
        waiting = [...(anchor?.ids ?? []), ...waiting];
        throw error;
      } finally {
        sending = undefined;
      }
    },
    relate: (id, relation, target) => typed(id, { relation, target }),
    context() {
      hook = 'placed';
      const text = contextFor(ledger, options.contextCharacters);
      if (text === undefined) return undefined;
      onEvent({ did: 'placed', ids: inFlightOf(ledger).map(({ id }) => id), characters: text.length });
      return text;
    },
    compact(given?: CompactOptions) {
      if (capability?.instructions !== 'per-request' || ledger.count === 0) return session.compact(given);
      const { instructions: added, requestId = crypto.randomUUID() } = given ?? {};
      // What is no instruction is refused by the session itself.
      if (added !== undefined && (typeof added !== 'string' || added === '')) return session.compact(given);
      const own = compactInstructions(ledger, options.instructions);
      const isUsed = instructed.has(requestId);
      if (!isUsed) instructed.set(requestId, own.length);
      const result = session.compact({ ...given, requestId, instructions: added === undefined ? own : `${own}\n\n${added}` });
      return result.finally(() => !isUsed && instructed.delete(requestId));
    },
    abort: () => session.abort(),
    status: () => session.status(),
    checkpoint: () => session.checkpoint(),
    records: (after, how) => session.records(after, how),
    on: (event, listener) => session.on(event, listener),
    frame: (number) => session.frame(number),
    dispose: () => session.dispose(),
    [Symbol.asyncDispose]: () => session.dispose(),
  };
}
