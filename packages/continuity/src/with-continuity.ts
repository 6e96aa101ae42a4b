import type { CompactOptions, Input, InputHandle, Session, SessionRecord } from '@native-compaction/core';
import { type About, checkAbout, checkKnown } from './about.ts';
import { type Anchor, stillOpenAnchor } from './anchor.ts';
import { hookContextOf } from './context.ts';
import { type ContinuityOptions, checkSession, parseContinuityOptions, toTeller } from './continuity-options.ts';
import { compactInstructions } from './instructions.ts';
import { emptyLedger, entryOf, type Ledger, type Relation } from './ledger.ts';
import { onCompaction } from './on-compaction.ts';
import { afterRestart, createSessionLedger } from './session-ledger.ts';

/** A session that knows which requests are open. It writes only what the session's own calls accept. */
export interface ContinuitySession extends Session {
  readonly ledger: Ledger;
  /** Throws `invalid_options` or `unknown_request` for an `about` that is wrong; nothing is sent then. */
  send(input: Input, about?: About): InputHandle;
  /** Says later what an input was about. */
  relate(inputId: string, relation: Relation, target?: string): void;
  /** The text for a runtime's `compactionContext`, to be asked by that alone: the record of requests, and the anchor of what is in flight. */
  context(): string | undefined;
}

const tracked = new WeakSet<object>();

/** Keeps the ledger of a session from its records and uses it at every compaction. Wrap a session before its first input. */
export function withContinuity(session: Session, options: ContinuityOptions): ContinuitySession {
  const { capability, ledger: given = emptyLedger, anchor: anchorOptions, ...rest } = parseContinuityOptions(options);
  checkSession(session, tracked.has(session));
  const tell = toTeller(rest.onEvent);
  const anchorRoute = capability?.anchorRoute ?? 'none';
  const { ledger: initial, interrupted } = afterRestart(given, session.checkpoint().cursor);
  const ledger = createSessionLedger(initial);
  let waiting: readonly string[] = []; // in flight at a compaction, and to be named before the next input
  const prefixed = new Map<string, readonly string[]>(); // ids by the input that names them, until it is over
  const instructed = new Map<string, number>(); // characters by request, until the request is over
  let hook: 'idle' | 'placed' | 'expected' = 'idle';

  const follow = (record: SessionRecord) => {
    ledger.follow(record);
    if (record.type === 'input_ended') {
      const named = prefixed.get(record.inputId);
      prefixed.delete(record.inputId);
      // What was to be named with an input that never went is still to be named.
      if (named && record.outcome === 'undelivered') waitFor(named);
    }
    if (record.type === 'compaction_dispatched') {
      const characters = instructed.get(record.requestId);
      if (characters !== undefined) tell({ did: 'instructed', requestId: record.requestId, characters });
    }
    if (record.type === 'compaction_started') hook = 'idle';
    if (record.type === 'compaction_ended') observe(record.origin, record.outcome);
    if (record.type === 'turn_ended' && hook === 'expected') {
      hook = 'idle';
      tell({ did: 'not_placed', reason: 'hook_not_asked' });
    }
  };
  const waitFor = (ids: readonly string[]) => {
    waiting = [...new Set([...waiting, ...ids])];
  };
  const observe = (origin: 'manual' | 'automatic' | 'foreign', outcome: 'completed' | 'failed' | 'aborted' | 'unknown') => {
    if (outcome !== 'completed') return;
    if (anchorRoute === 'compaction-hook') {
      if (hook === 'idle') hook = 'expected';
      return;
    }
    const action = onCompaction(ledger.current, { origin, outcome }, { anchorRoute });
    if (action.kind === 'prefix-next-input') waitFor(action.anchor.ids);
    else if (action.kind === 'none' && action.reason !== 'not_completed') tell({ did: 'not_placed', reason: action.reason });
  };
  /** Only what can no longer be settled is named again: what still runs is kept for a later input. */
  const takeAnchor = (): Anchor | null => {
    const entries = waiting.flatMap((id) => entryOf(ledger.current, id) ?? []).filter(({ state }) => state === 'open');
    const anchor = stillOpenAnchor(
      entries.filter(({ inFlight }) => !inFlight),
      anchorOptions,
    );
    waiting = entries.filter(({ inFlight }) => inFlight).map(({ id }) => id);
    return anchor;
  };
  const tellCut = (shortened: readonly string[], unnamed: readonly string[]) => {
    if (shortened.length + unnamed.length > 0) tell({ did: 'cut', shortened, unnamed });
  };

  session.on('record', follow);
  if (interrupted.length > 0) tell({ did: 'interrupted', ids: interrupted });
  const own: ContinuitySession = {
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
      return ledger.current;
    },
    send(input, about = {}) {
      const known = checkAbout(about, ledger.knows, 'send()');
      const text = typeof input === 'string' ? input : input?.text;
      if (session.status().state === 'closed') return session.send(input);
      // A command or a blank text goes as it is; what was waiting goes on waiting.
      const isPlain = (known.kind ?? 'prompt') === 'prompt' && typeof text === 'string' && /^\s*[^\s/]/.test(text);
      const before = waiting;
      if (known.relation === 'replace') waiting = [];
      let handle: InputHandle;
      let anchor: Anchor | null;
      try {
        anchor = isPlain ? takeAnchor() : null;
        const prefix = anchor ? `${anchor.render()}\n\n` : '';
        handle = ledger.send({ ...known, prefix }, () => session.send(anchor ? `${prefix}${text}` : input));
      } catch (error) {
        waiting = before;
        throw error;
      }
      if (anchor) {
        prefixed.set(handle.id, [...anchor.ids, ...anchor.unnamed]);
        tell({ did: 'prefixed', inputId: handle.id, ids: anchor.ids });
        tellCut(cutIn(anchor), anchor.unnamed);
      }
      return handle;
    },
    relate(id, relation, target) {
      checkAbout({ relation, target }, ledger.knows, 'relate()');
      checkKnown(id, ledger.knows, 'relate()');
      ledger.relate(id, { relation, target });
    },
    context() {
      hook = 'placed';
      const context = hookContextOf(ledger.current, rest.contextCharacters);
      if (context === undefined) return undefined;
      tell({ did: 'placed', ids: context.ids, characters: context.text.length });
      tellCut(context.cut, context.unnamed);
      return context.text;
    },
    async compact(asked?: CompactOptions) {
      const isOurs = capability?.instructions === 'per-request' && ledger.current.count > 0;
      if (!isOurs || asked === null || !['undefined', 'object'].includes(typeof asked)) return session.compact(asked);
      const { instructions: added, requestId = crypto.randomUUID() } = asked ?? {};
      // What is no instruction is refused by the session itself.
      if (added !== undefined && (typeof added !== 'string' || added === '')) return session.compact(asked);
      const account = compactInstructions(ledger.current, rest.instructions);
      const instructions = added === undefined ? account : `${account}\n\n${added}`;
      if (instructed.has(requestId)) return session.compact({ ...asked, requestId, instructions });
      instructed.set(requestId, account.length);
      try {
        return await session.compact({ ...asked, requestId, instructions });
      } finally {
        instructed.delete(requestId);
      }
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
  tracked.add(session).add(own);
  return own;
}

function cutIn({ requests }: Anchor): string[] {
  return requests.filter(({ omitted }) => omitted !== undefined).map(({ id }) => id);
}
