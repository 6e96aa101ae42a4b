import type { RecordDraft, Settlement, Step, Write } from '@native-compaction/core';
import { type JsonObject, number, optional, text } from '@native-compaction/transport';
import { stateFrame } from './commands.ts';
import type { EndKind, Fact, PiIn, PiOut, ResponseFact } from './frames.ts';
import { readId } from './idle.ts';
import { present } from './present.ts';
import { type Operation, stepAnswer, stepEnd, stepStart, takesEnd } from './proof.ts';
import type { PiState } from './state.ts';

type CompactionStep = Step<PiState, PiOut>;

/** A compaction began: an automatic one, our own, or one that an extension or the host asked for itself. */
export function startCompaction(
  state: PiState,
  { isManual }: Extract<Fact, { kind: 'compaction_start' }>,
  n: number,
): CompactionStep {
  if (!isManual)
    return { state: { ...state, isAutomatic: true }, records: [{ type: 'compaction_started', origin: 'automatic' }] };
  const { operation } = state;
  if (operation?.stage !== 'written') {
    const next: PiState = {
      ...state,
      foreign: state.foreign + 1,
      hasOrphan: state.hasOrphan || state.foreign > 0 || operation?.stage === 'started',
      ...optional('operation', operation && stepStart(operation, n)),
    };
    return { state: next, records: [{ type: 'compaction_started', origin: 'foreign' }] };
  }
  return {
    state: { ...state, operation: stepStart(operation, n) },
    records: [{ type: 'compaction_started', origin: 'manual', requestId: operation.requestId }],
  };
}

/** What a compaction's entry in the session file is known by; ids and figures only (1.4.0 to 1.6.0). */
export function toCompactionKey(native: JsonObject | undefined): string | undefined {
  const [entryId, tokens] = [text(native?.firstKeptEntryId), number(native?.tokensBefore)];
  return entryId === undefined || tokens === undefined ? undefined : `${entryId}:${tokens}`;
}

/** A compaction ended. A second overflow of one run ends without a start (1.4.0 to 1.6.0), so an end needs none. */
export function endCompaction(
  before: PiState,
  fact: Extract<Fact, { kind: 'compaction_end' }>,
  n: number,
  frame: PiIn,
): CompactionStep {
  const state = { ...before, ...optional('lastCompaction', toCompactionKey(fact.end.result)) };
  const outcome = outcomeOf(fact.end.kind);
  if (!fact.isManual) {
    const record: RecordDraft = {
      type: 'compaction_ended',
      origin: 'automatic',
      outcome,
      ...optional('message', fact.end.message),
    };
    return { state: { ...state, isAutomatic: false }, records: [record], writes: look(state) };
  }
  const { operation } = state;
  if (operation && takesEnd(operation)) return { state: { ...state, operation: stepEnd(operation, fact.end, n) }, records: [] };
  // Nobody's compaction was open: said twice, or begun before we came. It ends nothing.
  if (state.foreign === 0) return { state, records: [{ type: 'raw', frame: n, native: present(frame) }] };
  const foreign = state.foreign - 1;
  return { state: { ...state, foreign }, records: [{ type: 'compaction_ended', origin: 'foreign', outcome }] };
}

/** The answer to our compaction settles it, and says at last which of the ends in a tie were somebody else's. */
export function answerCompaction(state: PiState, response: ResponseFact, n: number): CompactionStep {
  const { operation, ...rest } = state;
  if (!operation) return { state, records: [] };
  const isTested = state.facts.version !== undefined && state.facts.testedVersions.includes(state.facts.version);
  const settlement = stepAnswer(operation, response, n, isTested);
  const records = [endRecord(operation, settlement, toCompactionKey(response.isSuccess ? response.data : undefined))];
  const theirs = operation.stage === 'tied' ? otherEnds(operation, settlement).slice(0, state.foreign) : [];
  for (const end of theirs) records.push({ type: 'compaction_ended', origin: 'foreign', outcome: end });
  const foreign = state.foreign - theirs.length;
  const next: PiState = { ...rest, foreign };
  return { state: next, records, settlement, writes: look(next) };
}

/**
 * One of two that overlapped may never end, and what ran when we attached may have been an automatic one: Pi's own state tells
 * whether anything still runs.
 */
export function look({ foreign, n }: PiState): Write<PiOut>[] {
  const id = readId(n);
  return foreign > 0 ? [{ frame: stateFrame(id), ref: { kind: 'read', id } }] : [];
}

/** Our own progress, or that of whoever compacts now. */
export function progressRecords({ operation, isAutomatic }: PiState): RecordDraft[] {
  if (isAutomatic) return [{ type: 'compaction_progress', origin: 'automatic', detail: 'retry' }];
  const isOurs = operation?.stage === 'started';
  const own = isOurs ? { origin: 'manual' as const, requestId: operation.requestId } : { origin: 'foreign' as const };
  return [{ type: 'compaction_progress', ...own, detail: 'retry' }];
}

function outcomeOf(kind: EndKind) {
  return kind === 'odd' ? ('unknown' as const) : kind;
}

/** What the ends of a tie that were not ours said. Which is ours is known if only one says what our answer said. */
function otherEnds({ ends }: Operation, { status }: Settlement) {
  const ours = ends.findLastIndex(({ kind }) => kind === status);
  const isKnown = ends.filter(({ kind }) => kind === status).length === 1 || new Set(ends.map(({ kind }) => kind)).size === 1;
  if (ours < 0 || !isKnown) return ends.slice(1).map(() => 'unknown' as const);
  return ends.filter((_, at) => at !== ours).map(({ kind }) => outcomeOf(kind));
}

function endRecord({ requestId }: Operation, settlement: Settlement, compaction: string | undefined): RecordDraft {
  if (settlement.status === 'rejected') return { type: 'compaction_rejected', requestId, reason: settlement.reason };
  return {
    type: 'compaction_ended',
    origin: 'manual',
    requestId,
    outcome: settlement.status === 'unconfirmed' ? 'unknown' : settlement.status,
    ...(settlement.status === 'completed' ? optional('tokens', settlement.tokens) : {}),
    ...(settlement.status === 'completed' && compaction !== undefined ? { nativeKeys: { compaction } } : {}),
    ...(settlement.status === 'failed'
      ? { ...optional('hint', settlement.hint), ...optional('message', settlement.message) }
      : {}),
  };
}
