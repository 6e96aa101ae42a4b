import { z } from 'zod';
import { NativeCompactionError } from './errors.ts';
import type { RecordDraft, SessionRecord } from './record.ts';
import { createRedactor } from './redact.ts';
import { initialStatusState, reduceStatus, resumedStatusState, type StatusState, statusStateSchema } from './status.ts';

/** A child agent of the session. */
export interface TaskState {
  readonly id: string;
  readonly status: StatusState;
}
export interface SessionView {
  readonly statusState: StatusState;
  readonly tasks: Readonly<Record<string, TaskState>>;
}

/** What a consumer persists, whole, to fold on from `cursor` (T3). */
export const checkpointSchema = z.strictObject({
  version: z.literal(1),
  runtime: z.string().min(1),
  nativeId: z.string().optional(),
  cursor: z.strictObject({ log: z.string().min(1), seq: z.number().int().nonnegative() }),
  view: z.strictObject({
    statusState: statusStateSchema,
    tasks: z.record(z.string(), z.strictObject({ id: z.string(), status: statusStateSchema })),
  }),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export const initialView: SessionView = { statusState: initialStatusState, tasks: {} };

/** A new log starts from what the checkpoint knows for sure: the last outcome, and the controls that can still be reconciled. */
export function resumedView(checkpoint: Checkpoint | undefined): SessionView {
  return checkpoint ? { ...initialView, statusState: resumedStatusState(checkpoint.view.statusState) } : initialView;
}

/** Folds one record into the whole view: a child agent's records go to its own state. */
export function reduceView(view: SessionView, record: SessionRecord): SessionView {
  const taskId = taskOf(record);
  if (taskId === undefined) {
    const statusState = reduceStatus(view.statusState, record);
    return statusState === view.statusState ? view : { ...view, statusState };
  }
  if (record.type === 'task_ended') {
    const { [taskId]: _ended, ...tasks } = view.tasks;
    return { ...view, tasks };
  }
  const known = view.tasks[taskId]?.status;
  const status = reduceStatus(known ?? { ...initialStatusState, phase: 'open', turn: {} }, record);
  return known === status ? view : { ...view, tasks: { ...view.tasks, [taskId]: { id: taskId, status } } };
}

export function toCheckpoint(runtime: string, cursor: Checkpoint['cursor'], view: SessionView): Checkpoint {
  const { nativeId } = view.statusState;
  return { version: 1, runtime, ...(nativeId === undefined ? {} : { nativeId }), cursor, view };
}

/** A path goes through keys that anybody may have written into the file. */
const redactor = createRedactor();

/** Checks a checkpoint for this runtime; throws `corrupt_checkpoint`, `newer_checkpoint` or `foreign_checkpoint`. */
export function parseCheckpoint(value: unknown, runtime: string): Checkpoint {
  if (isNewer(value) || isNewer((value as Partial<Checkpoint> | null)?.view?.statusState)) {
    const message = 'The checkpoint was written by a newer version of this library. Read it with that one.';
    throw new NativeCompactionError('newer_checkpoint', message);
  }
  const parsed = checkpointSchema.safeParse(value);
  if (!parsed.success) {
    const at = redactor.text(parsed.error.issues[0]?.path.join('.') ?? '') || 'the whole value';
    const advice =
      value === undefined || value === null
        ? 'There is none: open() without it begins anew.'
        : typeof value === 'string'
          ? 'Pass the parsed object, not its JSON text.'
          : 'Resume by the native id instead: open({ resume }).';
    throw new NativeCompactionError('corrupt_checkpoint', `The checkpoint cannot be read (${at}). ${advice}`);
  }
  if (parsed.data.runtime === runtime) return parsed.data;
  const message = `The checkpoint is of runtime "${parsed.data.runtime}", not "${runtime}". Open it there.`;
  throw new NativeCompactionError('foreign_checkpoint', message);
}

function isNewer(value: unknown): boolean {
  const version = (value as { version?: unknown } | null | undefined)?.version;
  return typeof version === 'number' && version > 1;
}

function taskOf(record: RecordDraft): string | undefined {
  return 'taskId' in record ? record.taskId : undefined;
}
