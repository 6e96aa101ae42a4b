import { z } from 'zod';
import { type SessionRecord, vendorProcessSchema } from './record.ts';

/** How many controls that are over stay in the state, newest last. */
const RECENT = 8;

/**
 * One control as it is kept for a later look at the vendor's own files: what names it there, and where the session stood
 * before it. `dispatchedAtMs` is absent while nothing was written that is recorded.
 */
export const controlStateSchema = z.strictObject({
  requestId: z.string(),
  requestedAtMs: z.number(),
  dispatchedAtMs: z.number().optional(),
  started: z.boolean(),
  nativeKeys: z.record(z.string(), z.string()).optional(),
  /** The last native row, turn or leaf known before it. */
  position: z.string().optional(),
  process: vendorProcessSchema.optional(),
  /** The version that was asked. */
  vendorVersion: z.string().optional(),
});
export type ControlState = z.infer<typeof controlStateSchema>;

/** Folds a record of a control into it: later keys and positions are laid over the earlier ones. */
export function reduceControl(control: ControlState, record: SessionRecord): ControlState {
  const nativeKeys = 'nativeKeys' in record ? record.nativeKeys : undefined;
  const position = 'position' in record ? record.position : undefined;
  return {
    ...control,
    ...(record.type === 'compaction_dispatched' ? { dispatchedAtMs: record.atMs } : {}),
    ...(record.type === 'compaction_started' ? { started: true } : {}),
    ...(nativeKeys ? { nativeKeys: { ...control.nativeKeys, ...nativeKeys } } : {}),
    ...(position === undefined ? {} : { position }),
  };
}

/** The controls that are over, with one more. */
export function withRecent(recent: readonly ControlState[] | undefined, control: ControlState | undefined): ControlState[] {
  return [...withoutRequest(recent, control?.requestId), ...(control ? [control] : [])].slice(-RECENT);
}

/** A request id used again, in a later log, names the newer one alone, also where that was refused. */
export function withoutRequest(recent: readonly ControlState[] = [], id: string | undefined): ControlState[] {
  return recent.filter(({ requestId }) => requestId !== id);
}
