import type { Admission, RejectReason } from '@native-compaction/core';
import { type JsonObject, object, text } from '@native-compaction/transport';
import { goalFrame, queueFrame } from './commands.ts';
import type { CodexOut } from './frames.ts';
import type { CodexState, Read } from './state.ts';

/** G3: the goal, and the vendor's queue where it is on, are read afresh; what is told meanwhile counts as well. */
export function admitGoals(state: CodexState, since: number): Admission<CodexOut> {
  if (state.droppedAt > since) return { reject: 'not_ready' };
  const goalId = `native-compaction-goal-${state.n + 1}`;
  const queueId = `native-compaction-queue-${state.n + 2}`;
  if (!state.goal || state.goal.n < since) {
    const goal = { frame: goalFrame(goalId, state.threadId), ref: { kind: 'read', id: goalId } } as const;
    const queue = { frame: queueFrame(queueId, state.threadId), ref: { kind: 'read', id: queueId } } as const;
    return { ask: state.facts.experimentalApi ? [goal, queue] : [goal] };
  }
  const reads = state.facts.experimentalApi ? [state.goal, state.queue] : [state.goal];
  if (reads.some((read) => !read?.isAnswered)) return { wait: true };
  const reason = refusal(state, reads);
  return reason ? { reject: reason } : { go: true };
}

function refusal(state: CodexState, [goal, queue]: readonly (Read | undefined)[]): RejectReason | undefined {
  if (goal?.hasFailed || queue?.hasFailed) return 'not_ready';
  if (queue?.isBusy || state.queueMovedAt > 0) return 'queued_input';
  return goal?.isBusy ? 'goal_active' : undefined;
}

/**
 * A list that reads empty behind a change may have lost its item to a turn that has not begun yet: a compaction would kill
 * that turn, and the input with it (0.166.0). So one request is refused; a reading behind the change lets the next one pass.
 */
export function withoutMove(state: CodexState): CodexState {
  const { queue, queueMovedAt } = state;
  const isReadEmpty = queue !== undefined && queue.n > queueMovedAt && queue.isAnswered && !queue.isBusy;
  return isReadEmpty ? { ...state, queueMovedAt: 0 } : state;
}

export function isRead(id: string): 'goal' | 'queue' | undefined {
  if (id.startsWith('native-compaction-goal-')) return 'goal';
  return id.startsWith('native-compaction-queue-') ? 'queue' : undefined;
}

export function asked(id: string, n: number): Read {
  return { id, n, isAnswered: false, hasFailed: false, isBusy: false };
}

/** An answer to the newest read of its kind, an error without a result; one to an older read means nothing. */
export function answered(state: CodexState, id: string, result: JsonObject | undefined): CodexState {
  if (state.goal?.id === id) {
    const status = text(object(result?.goal)?.status);
    const hasFailed = status === undefined && result?.goal !== null;
    const isActive = status === 'active';
    return { ...state, isGoalActive: isActive, goal: { ...state.goal, isAnswered: true, hasFailed, isBusy: isActive } };
  }
  if (state.queue?.id !== id) return state;
  const list = Array.isArray(result?.data) ? result.data : undefined;
  const isBusy = list !== undefined && list.length > 0;
  return { ...state, queue: { ...state.queue, isAnswered: true, hasFailed: list === undefined, isBusy } };
}
