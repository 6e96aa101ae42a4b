import { applyFact } from './apply-fact.ts';
import type { CanonicalError } from './canonical.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { isBoundary, isRuntimeOwned, isVisibleUser, type TranscriptMessage, visibleText } from './messages.ts';
import { hasCalls } from './tool-groups.ts';
import { firstCorrupt, relationOf } from './turn-semantics.ts';

export type LedgerFromMessages =
  | { readonly ok: true; readonly ledger: Ledger }
  | { readonly ok: false; readonly error: CanonicalError };

/**
 * The ledger of a restored transcript: each visible user message is a request, done where a final answer stands before the next
 * one; otherwise it is open, and how its run ended is not known. Nothing is in flight. The typed relations do the rest. Ids are `message-` and the place in the list.
 */
export function ledgerFromMessages(messages: readonly TranscriptMessage[]): LedgerFromMessages {
  const error = firstCorrupt(messages);
  if (error) return { ok: false, error };
  let ledger = emptyLedger;
  let current: string | undefined;
  for (const [index, message] of messages.entries()) {
    if (isVisibleUser(message)) {
      ledger = withoutAnswer(ledger, current);
      current = `message-${index}`;
      ledger = applyFact(ledger, { t: 'accepted', id: current, text: visibleText(message) });
      const relation = relationOf(message);
      if (relation !== undefined) ledger = applyFact(ledger, { t: 'related', id: current, relation });
    } else if (current !== undefined && isFinalAnswer(message)) {
      ledger = applyFact(ledger, { t: 'settled', id: current, outcome: 'completed' });
      current = undefined;
    }
  }
  return { ok: true, ledger: withoutAnswer(ledger, current) };
}

function withoutAnswer(ledger: Ledger, id: string | undefined): Ledger {
  return id === undefined ? ledger : applyFact(ledger, { t: 'settled', id, outcome: 'unconfirmed' });
}

function isFinalAnswer(message: TranscriptMessage): boolean {
  return (
    message.role === 'assistant' &&
    !isBoundary(message) &&
    !isRuntimeOwned(message) &&
    !hasCalls(message) &&
    visibleText(message) !== ''
  );
}
