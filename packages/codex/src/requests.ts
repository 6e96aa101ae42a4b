import type { RecordDraft, Step, Write } from '@native-compaction/core';
import { object, optional, rpcNotification, text } from '@native-compaction/transport';
import { stepAnswer } from './binding.ts';
import { awaitsProbe } from './candidate.ts';
import { threadFrame } from './commands.ts';
import type { CodexOut, Fact } from './frames.ts';
import { answered, isRead } from './goals.ts';
import { inputAnswered } from './inputs.ts';
import { withBinding } from './operation.ts';
import { saysCompact, stepProbe } from './probe.ts';
import { type CodexState, OPEN_IDS } from './state.ts';
import { tellEnd } from './turn-end.ts';

type RequestStep = Step<CodexState, CodexOut>;
type Response = Extract<Fact, { kind: 'response' }>;

/** An answer to a request of ours, told by its id; an id nobody knows means nothing. */
export function stepResponse(state: CodexState, fact: Response, n: number): RequestStep {
  if (state.phase === 'opening' && fact.id === OPEN_IDS.initialize) return initialized(state, fact);
  if (state.phase === 'opening' && fact.id === OPEN_IDS.thread) return threadOpened(state, fact);
  if (isRead(fact.id)) return { state: answered(state, fact.id, fact.result), records: [], answered: [fact.id] };
  if (fact.id === state.cancelId) {
    const { cancelId: _answered, ...rest } = state;
    return { state: rest, records: [], answered: [fact.id] };
  }
  const { operation } = state;
  if (operation?.operationId === fact.id) return withBinding(state, stepAnswer(operation, fact.error, n));
  const probed = operation?.candidates.find(({ probeId }) => probeId === fact.id);
  if (operation && probed) {
    const step = withBinding(state, stepProbe(operation, fact.id, fact.error, n));
    if (!awaitsProbe(operation, probed.turnId) || !probed.end) return step;
    return tellEnd(step, probed.end, saysCompact(fact.error));
  }
  return state.input?.id === fact.id ? inputAnswered(state, fact) : { state, records: [] };
}

function initialized(state: CodexState, fact: Response): RequestStep {
  if (fact.error) return refused(state, fact);
  const version = /^[^/]*\/(\S+)/.exec(text(fact.result?.userAgent) ?? '')?.[1];
  const writes: Write<CodexOut>[] = [
    { frame: rpcNotification('initialized'), ref: { kind: 'open', id: `${OPEN_IDS.initialize}d` } },
    { frame: threadFrame(OPEN_IDS.thread, state.facts.thread), ref: { kind: 'open', id: OPEN_IDS.thread } },
  ];
  return { state: { ...state, ...optional('version', version) }, records: [], writes, answered: [fact.id] };
}

function threadOpened(state: CodexState, fact: Response): RequestStep {
  if (fact.error) return refused(state, fact);
  const thread = object(fact.result?.thread);
  const threadId = text(thread?.id) ?? '';
  const isActive = object(thread?.status)?.type === 'active';
  const opened: RecordDraft = { type: 'session_opened', nativeId: threadId, ...optional('vendorVersion', state.version) };
  const next: CodexState = {
    ...state,
    phase: 'open',
    threadId,
    ...(isActive && state.turnId === undefined ? { turnId: '' } : {}),
  };
  return {
    state: next,
    records: isActive ? [opened, { type: 'turn_started' }] : [opened, { type: 'idle' }],
    answered: [fact.id],
  };
}

function refused(state: CodexState, fact: Response): RequestStep {
  return {
    state,
    records: [{ type: 'session_refused', message: fact.error?.message ?? 'no reason given' }],
    answered: [fact.id],
  };
}
