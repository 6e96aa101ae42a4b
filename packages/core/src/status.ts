import { z } from 'zod';
import { type ControlState, controlStateSchema, reduceControl, withoutRequest, withRecent } from './control-state.ts';
import { type SessionRecord, turnOutcomes, vendorProcessSchema } from './record.ts';

/** The resumable state, folded from records; it decides nothing (T2). Versioned: a corrupt one is refused, never guessed. */
export const statusStateSchema = z.strictObject({
  version: z.literal(1),
  phase: z.enum(['starting', 'open', 'closed']),
  nativeId: z.string().optional(),
  vendorVersion: z.string().optional(),
  /** The native turn that runs now. */
  turn: z.strictObject({ turnId: z.string().optional(), inputIds: z.array(z.string()).optional() }).optional(),
  /** A compaction of somebody else that runs outside a turn. */
  foreignCompaction: z.literal(true).optional(),
  lastOutcome: z.enum(turnOutcomes).optional(),
  /** Ids, never text, of inputs accepted and not ended, in order. */
  inputs: z.array(z.strictObject({ id: z.string(), stage: z.enum(['held', 'written', 'received']) })),
  /** Our own control, from its reservation until the slot is free. */
  compaction: controlStateSchema.optional(),
  /** Controls that are over, or were open when their log ended, oldest first: what `reconcile` can still be asked about. */
  recent: z.array(controlStateSchema).readonly().optional(),
  /** The process of this log. */
  process: vendorProcessSchema.optional(),
});
export type StatusState = z.infer<typeof statusStateSchema>;

/** A display value (T1). It cannot stand in for the state. */
export interface AgentStatus {
  readonly state: 'starting' | 'idle' | 'running' | 'compacting' | 'closed';
  readonly lastOutcome?: (typeof turnOutcomes)[number];
  readonly vendorVersion?: string;
  readonly compaction?: { readonly requestId: string; readonly started?: boolean };
}

export const initialStatusState: StatusState = { version: 1, phase: 'starting', inputs: [] };

/** What a new log carries on of an older state: the last outcome, and the controls that are over with that log. */
export function resumedStatusState({ lastOutcome, compaction, recent }: StatusState): StatusState {
  const controls = withRecent(recent, compaction);
  return { ...initialStatusState, ...pick({ lastOutcome }), ...(controls.length > 0 ? { recent: controls } : {}) };
}

/** The control of a request, open or over. */
export function findControl({ compaction, recent = [] }: StatusState, requestId: string): ControlState | undefined {
  return [...recent, ...(compaction ? [compaction] : [])].findLast((control) => control.requestId === requestId);
}

/** Folds one record into the state; pure, and a prefix plus the rest gives the same as the whole (T2). */
export function reduceStatus(state: StatusState, record: SessionRecord): StatusState {
  switch (record.type) {
    case 'session_opened':
      return { ...state, phase: 'open', ...pick({ nativeId: record.nativeId, vendorVersion: record.vendorVersion }) };
    case 'session_identified':
      return { ...state, nativeId: record.nativeId };
    case 'input_accepted':
      return { ...state, inputs: [...state.inputs, { id: record.inputId, stage: 'held' }] };
    case 'input_written':
      return withInput(state, record.inputId, 'written');
    case 'input_held':
      return withInput(state, record.inputId, 'held');
    case 'input_received':
      return withInput(state, record.inputId, 'received');
    case 'input_ended':
      return { ...state, inputs: state.inputs.filter((input) => input.id !== record.inputId) };
    case 'turn_started':
      return { ...state, turn: pick({ turnId: record.turnId, inputIds: record.inputIds }) };
    case 'turn_ended': {
      const { turn: _ended, ...rest } = state;
      return record.kind === 'compaction' ? rest : { ...rest, lastOutcome: record.outcome };
    }
    case 'log_opened':
      return record.process ? { ...state, process: record.process } : state;
    case 'compaction_requested': {
      const { requestId, atMs } = record;
      const control = {
        requestId,
        requestedAtMs: atMs,
        started: false,
        ...pick({ process: state.process, vendorVersion: state.vendorVersion }),
      };
      const recent = state.recent && withoutRequest(state.recent, requestId);
      return { ...state, compaction: reduceControl(control, record), ...pick({ recent }) };
    }
    case 'compaction_dispatched':
    case 'compaction_progress':
      return withControl(state, record);
    case 'compaction_started':
      if (record.requestId !== undefined) return withControl(state, record);
      return state.turn ? state : { ...state, foreignCompaction: true };
    case 'compaction_rejected':
      return withoutControl(state, record);
    case 'compaction_ended': {
      if (record.requestId !== undefined) return withoutControl(state, record);
      const { foreignCompaction: _over, ...rest } = state;
      return rest;
    }
    case 'session_closed': {
      const { turn: _turn, compaction, foreignCompaction: _foreign, ...rest } = state;
      return { ...rest, phase: 'closed', ...(compaction ? { recent: withRecent(state.recent, compaction) } : {}) };
    }
    default:
      return state;
  }
}

/** The display value of a state. */
export function statusValue(state: StatusState): AgentStatus {
  const { compaction } = state;
  return {
    state: displayState(state),
    ...pick({ lastOutcome: state.lastOutcome, vendorVersion: state.vendorVersion }),
    ...(compaction ? { compaction: { requestId: compaction.requestId, started: compaction.started } } : {}),
  };
}

/** What a session shows: once it has ended nothing of it is open, whatever the log still waits for. */
export function shownStatus(state: StatusState, isEnded: boolean): AgentStatus {
  const value = statusValue(state);
  if (!isEnded) return value;
  const { compaction: _freed, ...rest } = value;
  return { ...rest, state: 'closed' };
}

function displayState(state: StatusState): AgentStatus['state'] {
  if (state.phase === 'starting') return 'starting';
  if (state.phase === 'closed') return 'closed';
  if (state.compaction || (state.foreignCompaction && !state.turn)) return 'compacting';
  return state.turn || state.inputs.some(({ stage }) => stage === 'received') ? 'running' : 'idle';
}

function withInput(state: StatusState, id: string, stage: StatusState['inputs'][number]['stage']): StatusState {
  return { ...state, inputs: state.inputs.map((input) => (input.id === id ? { id, stage } : input)) };
}

function withControl(state: StatusState, record: SessionRecord & { readonly requestId?: string | undefined }): StatusState {
  if (!state.compaction || state.compaction.requestId !== record.requestId) return state;
  return { ...state, compaction: reduceControl(state.compaction, record) };
}

/** A control that is over is kept if it was dispatched: what was refused before has nothing to be found. */
function withoutControl(state: StatusState, record: SessionRecord & { readonly requestId?: string | undefined }): StatusState {
  if (!state.compaction || state.compaction.requestId !== record.requestId) return state;
  const { compaction, ...rest } = withControl(state, record);
  return compaction?.dispatchedAtMs === undefined ? rest : { ...rest, recent: withRecent(state.recent, compaction) };
}

/** Drops members that are undefined, so that optional members stay absent. */
function pick<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
