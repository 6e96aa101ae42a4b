import type { CanonicalError } from './canonical.ts';
import { isVisibleUser, type TranscriptMessage, visibleText } from './messages.ts';
import { firstCorrupt, relationOf } from './turn-semantics.ts';

/** How many texts an objective is made of: the first, and the newest of what refined or corrected it. */
const OBJECTIVE_ITEMS = 4;

export type ObjectiveContext =
  | { readonly ok: true; readonly objective: readonly string[] }
  | { readonly ok: false; readonly error: CanonicalError };

/**
 * What the conversation is about, by the typed relations alone. An `unknown` message is the objective only where it is the first
 * visible one of the user.
 */
export function objectiveContext(messages: readonly TranscriptMessage[]): ObjectiveContext {
  const error = firstCorrupt(messages);
  if (error) return { ok: false, error };
  let objective: string[] = [];
  let isFirst = true;
  for (const message of messages) {
    if (!isVisibleUser(message)) continue;
    const relation = relationOf(message);
    const text = visibleText(message).replace(/\s+/g, ' ');
    if (relation === 'replace') objective = [text];
    else if (relation === 'refine' || relation === 'correct' || (relation === 'unknown' && isFirst)) objective.push(text);
    if (objective.length > OBJECTIVE_ITEMS) objective.splice(1, 1);
    isFirst = false;
  }
  return { ok: true, objective };
}
