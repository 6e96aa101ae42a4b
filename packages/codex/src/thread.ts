import type { Step } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { stepUsage } from './binding.ts';
import { deltaRecord, itemRecords } from './conversation.ts';
import type { CodexIn, CodexOut, Fact } from './frames.ts';
import { own } from './operation.ts';
import type { CodexState } from './state.ts';
import { endTurn } from './turn-end.ts';
import { startTurn, stepItemFact } from './turns.ts';
import { addUsage } from './usage.ts';

type ThreadStep = Step<CodexState, CodexOut>;
type ThreadFact = Extract<Fact, { threadId: string }>;

/** A notice of our own thread. */
export function stepThread(state: CodexState, fact: ThreadFact, frame: CodexIn, n: number): ThreadStep {
  switch (fact.kind) {
    case 'turn_started':
      return startTurn(state, fact.turnId, n);
    case 'turn_completed':
      return endTurn(state, fact, n);
    case 'item_started':
    case 'item_completed':
      return stepItemFact(state, fact, n);
    case 'delta':
      return { state, records: [deltaRecord(fact, {})] };
    case 'goal':
      return {
        state: fact.isActive ? contested({ ...state, isGoalActive: true }) : { ...state, isGoalActive: false },
        records: [],
      };
    case 'queue':
      return { state: contested({ ...state, queueMovedAt: n }), records: [] };
    case 'retry': {
      const isOurs = state.operation !== undefined && state.operation.bound === fact.turnId;
      return {
        state,
        records: isOurs && state.operation ? [{ type: 'compaction_progress', ...own(state.operation), detail: 'retry' }] : [],
      };
    }
    case 'usage': {
      const figures = addUsage(state, fact);
      const isFurther = figures.turnUsage !== undefined;
      const operation = state.operation && stepUsage(state.operation, fact.turnId, fact.totalTokens, isFurther);
      const after = { ...optional('operation', operation), ...optional('totalTokens', fact.totalTokens) };
      return { state: { ...state, ...figures, ...after }, records: [] };
    }
    default:
      return { state, records: [{ type: 'raw', frame: n, native: frame }] };
  }
}

/** Something other than us may start a turn from now on; a turn that is bound already stays so. */
function contested(state: CodexState): CodexState {
  const { operation } = state;
  const isOpen = operation !== undefined && operation.candidates.length === 0;
  return { ...state, isContested: true, ...(isOpen ? { operation: { ...operation, isContested: true } } : {}) };
}

/** A child agent's thread on the same connection: told as its own, and settling nothing of ours (R6). */
export function stepChild(state: CodexState, fact: ThreadFact, n: number): ThreadStep {
  const taskId = fact.threadId;
  if (fact.kind === 'turn_started') return { state, records: [{ type: 'task_started', taskId }] };
  if (fact.kind === 'turn_completed') {
    const outcome = fact.status === 'completed' ? 'completed' : fact.status === 'interrupted' ? 'aborted' : 'failed';
    return { state, records: [{ type: 'task_ended', taskId, outcome }] };
  }
  if (fact.kind === 'item_started' || fact.kind === 'item_completed') return { state, records: itemRecords(fact, n, { taskId }) };
  return { state, records: fact.kind === 'delta' ? [deltaRecord(fact, { taskId })] : [] };
}
