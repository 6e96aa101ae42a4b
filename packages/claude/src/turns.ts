import type { RecordDraft, Settlement, TurnOutcome, Usage } from '@native-compaction/core';
import { type JsonObject, number, object, optional, text } from '@native-compaction/transport';
import type { Fact, LifecycleState } from './frames.ts';
import type { ClaudeState } from './state.ts';

type InputStage = NonNullable<ClaudeState['input']>['stage'];

/** How many messages are remembered as over. */
const OVER = 32;

interface TurnStep {
  readonly state: ClaudeState;
  readonly records: readonly RecordDraft[];
}

/** Follows native turns and the one input of ours that may be on its way. The `result` is the idle edge (G1). */
export function stepTurns(state: ClaudeState, fact: Fact, isOurs: boolean, settlement: Settlement | undefined): TurnStep {
  const names = fact.kind === 'lifecycle' ? [fact.uuid] : fact.kind === 'init' ? fact.uuids : [];
  if (!isOurs && names.length > 0 && names.every((uuid) => state.over.includes(uuid))) return { state, records: [] };
  if (fact.kind === 'lifecycle') return stepLifecycle(state, fact.uuid, fact.state, isOurs ? 'compaction' : 'prompt');
  if (fact.kind === 'init') return begin(withReceipt(state, fact.uuids), fact.uuids, isOurs);
  if (fact.kind === 'result') return endTurn(state, fact, settledAs(settlement));
  return { state, records: [] };
}

/** The turn of a compaction has no inputs: the command's uuid is none that a host knows. */
function begin({ state, records }: TurnStep, uuids: readonly string[], isCompaction: boolean): TurnStep {
  if (state.turn) {
    const added = uuids.filter((uuid) => !state.turn?.live.includes(uuid));
    return added.length === 0
      ? { state, records }
      : { state: { ...state, turn: { ...state.turn, live: [...state.turn.live, ...added] } }, records };
  }
  const started: RecordDraft = { type: 'turn_started', ...(uuids.length > 0 && !isCompaction ? { inputIds: [...uuids] } : {}) };
  const turn = uuids.length === 0 && !isCompaction ? { live: uuids, isAutonomous: true as const } : { live: uuids };
  return { state: { ...state, turn }, records: [...records, started] };
}

function withReceipt(state: ClaudeState, uuids: readonly string[]): TurnStep {
  const { input } = state;
  if (!input || !uuids.includes(input.id) || input.stage !== 'written') return { state, records: [] };
  return {
    state: { ...state, input: { ...input, stage: 'received' } },
    records: [{ type: 'input_received', inputId: input.id }],
  };
}

function stepLifecycle(state: ClaudeState, uuid: string, lifecycle: LifecycleState, kind: 'prompt' | 'compaction'): TurnStep {
  if (lifecycle === 'queued') return withReceipt(state, [uuid]);
  if (lifecycle === 'started') {
    const received = withReceipt(state, [uuid]);
    const isInput = received.state.input?.id === uuid;
    const marked = isInput ? { ...received.state, input: { id: uuid, stage: 'started' as const } } : received.state;
    return begin({ state: marked, records: received.records }, [uuid], kind === 'compaction');
  }
  const { input, turn } = state;
  // A turn of Claude's own takes a waiting input in, and says `completed` of it in front of its result (2.1.316, 2.1.332).
  if (turn?.isAutonomous && input?.id === uuid && lifecycle === 'completed' && isUnderWay(input.stage))
    return { state: { ...state, input: { id: uuid, stage: 'over' } }, records: [] };
  const records: RecordDraft[] = [];
  let next = state;
  if (input?.id === uuid) {
    const { input: _ended, ...rest } = state;
    const unstarted = lifecycle === 'cancelled' ? 'aborted' : lifecycle === 'completed' ? 'unconfirmed' : 'undelivered';
    records.push({ type: 'input_ended', inputId: uuid, outcome: isUnderWay(input.stage) ? 'unconfirmed' : unstarted });
    next = rest;
  }
  if (!next.turn?.live.includes(uuid)) return { state: next, records };
  // Every message of the turn has ended and no result came: the turn is over, and how is not known.
  const live = next.turn.live.filter((other) => other !== uuid);
  if (live.length > 0 || turn?.isAutonomous) return { state: { ...next, turn: { ...next.turn, live } }, records };
  const { turn: _over, ...rest } = next;
  const outcome = lifecycle === 'cancelled' ? 'aborted' : 'failed';
  return {
    state: rest,
    records: [...records, { type: 'turn_ended', kind, outcome, message: 'No result frame came.' }, { type: 'idle' }],
  };
}

function endTurn(state: ClaudeState, fact: Extract<Fact, { kind: 'result' }>, compaction: TurnOutcome | undefined): TurnStep {
  const names = fact.uuids ?? (fact.uuid === undefined ? [] : [fact.uuid]);
  const live = state.turn?.live ?? [];
  // A result that names only messages of another turn ends that one, which is over: a repeat, or somebody else's.
  if (names.length > 0 && live.length > 0 && !names.some((uuid) => live.includes(uuid))) return { state, records: [] };
  const { turn: _over, ...rest } = { ...state, over: [...state.over, ...live, ...names].slice(-OVER) };
  const outcome = compaction ?? turnOutcome(fact.frame);
  const failure = outcome === 'failed' && !compaction ? text(fact.frame.result) : undefined;
  const ended: RecordDraft = {
    type: 'turn_ended',
    outcome,
    kind: fact.localCommand === 'compact' ? 'compaction' : 'prompt',
    ...optional('usage', toUsage(object(fact.frame.usage))),
    ...optional('inputId', fact.uuid),
    ...(fact.uuids === undefined ? {} : { inputIds: [...fact.uuids] }),
    ...optional('message', failure),
  };
  const input = state.input;
  const isNamed = input !== undefined && (fact.uuid === input.id || fact.uuids?.includes(input.id) === true);
  const isUnnamed = fact.uuid === undefined && fact.uuids === undefined && fact.frame.origin === undefined;
  const isOver = input?.stage === 'over';
  const isTaken = isNamed || isOver || (input !== undefined && isUnnamed && (input.stage === 'started' || !state.hasLifecycle));
  if (!isTaken) return { state: rest, records: [ended, ...(input ? [] : [{ type: 'idle' } as const])] };
  const { input: _ended, ...idle } = rest;
  const received: RecordDraft[] = input.stage === 'written' ? [{ type: 'input_received', inputId: input.id }] : [];
  const inputEnd: RecordDraft = { type: 'input_ended', inputId: input.id, outcome: isOver && !isNamed ? 'unconfirmed' : outcome };
  return { state: idle, records: [...received, ended, inputEnd, { type: 'idle' }] };
}

function isUnderWay(stage: InputStage): boolean {
  return stage === 'started' || stage === 'over';
}

/** The turn of a compaction ended as the compaction did: its own `result` says success even where it failed. */
function settledAs(settlement: Settlement | undefined): TurnOutcome | undefined {
  const status = settlement?.status;
  return status === 'completed' || status === 'failed' || status === 'aborted' ? status : undefined;
}

function turnOutcome(frame: JsonObject): TurnOutcome {
  if (text(frame.terminal_reason)?.startsWith('aborted')) return 'aborted';
  return frame.is_error === true || frame.subtype !== 'success' ? 'failed' : 'completed';
}

function toUsage(usage: JsonObject | undefined): Usage | undefined {
  if (!usage) return undefined;
  return {
    ...optional('inputTokens', number(usage.input_tokens)),
    ...optional('outputTokens', number(usage.output_tokens)),
    ...optional('cacheReadTokens', number(usage.cache_read_input_tokens)),
    ...optional('cacheWriteTokens', number(usage.cache_creation_input_tokens)),
  };
}
