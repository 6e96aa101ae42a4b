import type { RecordDraft, Settlement, Step, TurnOutcome } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stepTurnCompleted } from './binding.ts';
import { awaitsProbe } from './candidate.ts';
import type { CodexOut, Fact } from './frames.ts';
import { withBinding } from './operation.ts';
import type { CodexState } from './state.ts';

type EndStep = Step<CodexState, CodexOut>;
type TurnEnd = Extract<Fact, { kind: 'turn_completed' }>;

/** How many turns that are over are remembered. */
const REMEMBERED = 32;

/** True for a turn whose end was seen; turns end once, and nothing of them counts behind that. */
export function isOver(state: CodexState, turnId: string): boolean {
  return state.ended.some((turn) => turn.turnId === turnId);
}

/** The end of a turn is the idle edge (G1): `thread/status/changed` comes before it and decides nothing. */
export function endTurn(state: CodexState, fact: TurnEnd, n: number): EndStep {
  const { turnId } = fact;
  if (isOver(state, turnId)) return { state, records: [] };
  const isBound = state.operation?.bound === turnId;
  const step = state.operation
    ? withBinding(state, stepTurnCompleted(state.operation, fact, !state.ownTurns.includes(turnId), n))
    : { state, records: [] };
  const outcome = outcomeOf(fact, isBound ? step.settlement : undefined);
  const ended = [...state.ended, { turnId, outcome }].slice(-REMEMBERED);
  const next: EndStep = { ...step, state: { ...step.state, ended } };
  // Whose turn it was is still being asked; it is told with the answer.
  return awaitsProbe(next.state.operation, turnId) ? next : tellEnd(next, fact, isBound);
}

/** Tells that a turn is over, behind what the binding says of it. */
export function tellEnd(step: EndStep, fact: TurnEnd, isBound: boolean): EndStep {
  const { turnId } = fact;
  const { turnId: running, automatic, ...rest } = step.state;
  const isCurrent = running === turnId || running === '';
  const outcome = outcomeOf(fact, isBound ? step.settlement : undefined);
  const records: RecordDraft[] = [...step.records];
  if (automatic !== undefined && isCurrent)
    records.push({ type: 'compaction_ended', origin: 'automatic', outcome: outcome === 'failed' ? 'failed' : 'unknown' });
  records.push({
    type: 'turn_ended',
    turnId,
    outcome,
    kind: isBound ? 'compaction' : 'prompt',
    ...(rest.turnUsage?.turnId === turnId ? { usage: rest.turnUsage.usage } : {}),
    ...(outcome === 'failed' && !isBound ? optional('message', fact.message) : {}),
  });
  let next: CodexState = isCurrent ? rest : step.state;
  if (next.input?.turnId === turnId) {
    const { input, ...without } = next;
    records.push({ type: 'input_ended', inputId: input.id, outcome });
    next = without;
  }
  if (next.turnId === undefined && !next.input) records.push({ type: 'idle' });
  return { ...step, state: next, records };
}

function outcomeOf({ status }: TurnEnd, settlement: Settlement | undefined): TurnOutcome {
  if (settlement?.status === 'completed' || settlement?.status === 'failed' || settlement?.status === 'aborted')
    return settlement.status;
  return status === 'completed' ? 'completed' : status === 'interrupted' ? 'aborted' : 'failed';
}
