import type { Loop } from './loop.ts';
import type { Machine, PermissionDecision } from './machine.ts';
import type { RecordDraft } from './record.ts';

/** A native question whether a tool may run. `input` is redacted; the raw question is `session.frame(frame)`. */
export interface PermissionRequest {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly frame: number;
  /** The `toolCallId` of the tool's own records, where the vendor names it. */
  readonly toolCallId?: string;
  /** Fires on abort, on dispose and when the turn ends; an answer after that is dropped. */
  readonly signal: AbortSignal;
}

/** A host's answer. None given, or a throw, is a denial (T8). */
export type PermissionCallback = (request: PermissionRequest) => PermissionDecision | Promise<PermissionDecision>;

export interface Permissions {
  onRecord(record: RecordDraft): void;
  /** The turn is being cancelled: fires the signals of its questions, and every answer from now on is a denial. */
  cancel(): void;
  /** The session is over: fires the signals of all open questions. */
  end(): void;
}

interface Question {
  readonly controller: AbortController;
  /** A child agent's question outlives the turns of the session itself. */
  readonly isChild: boolean;
}

/** Carries native permission questions to the host and its decision back; nothing hangs for want of an answer. */
export function createPermissions<In, Out, S, F>(deps: {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: () => Loop<Out, S>;
  readonly callback: PermissionCallback | undefined;
}): Permissions {
  const open = new Map<string, Question>();

  const answer = (id: string, decision: PermissionDecision) => {
    const question = open.get(id);
    if (!question || deps.loop().isEnded) return;
    open.delete(id);
    const said: PermissionDecision = question.controller.signal.aborted ? { deny: 'The turn was cancelled.' } : decision;
    const frame = deps.machine.answer(deps.loop().state, id, said);
    if (frame !== undefined) deps.loop().write({ frame, ref: { kind: 'answer', id } });
  };

  const ask = async (request: PermissionRequest): Promise<PermissionDecision> => {
    if (!deps.callback) return { deny: 'The host has no permission callback, so every tool that asks is denied.' };
    try {
      const decision = await deps.callback(request);
      return isDecision(decision) ? decision : { deny: 'The host gave no valid decision.' };
    } catch {
      return { deny: 'The host could not decide.' };
    }
  };

  const cancel = () => {
    for (const { controller, isChild } of open.values()) if (!isChild) controller.abort();
  };

  return {
    onRecord(record) {
      if (record.type === 'permission_asked') {
        const controller = new AbortController();
        open.set(record.permissionId, { controller, isChild: record.isChild === true });
        const { permissionId: id, tool, input, frame, toolCallId } = record;
        const named = toolCallId === undefined ? {} : { toolCallId };
        const request = { id, tool, input, frame, ...named, signal: controller.signal };
        // Host code never runs inside the loop's own turn.
        void Promise.resolve(request)
          .then(ask)
          .then((decision) => answer(id, decision));
      } else if (record.type === 'permission_answered' && record.by === 'native') {
        open.get(record.permissionId)?.controller.abort();
        open.delete(record.permissionId);
      } else if (record.type === 'turn_ended' && record.kind === 'prompt' && record.taskId === undefined) {
        cancel();
        // What was asked in this turn and is not answered gets its denial; the vendor may wait for it.
        for (const [id, { isChild }] of [...open]) if (!isChild) queueMicrotask(() => answer(id, 'deny'));
      }
    },
    cancel,
    end() {
      for (const { controller } of open.values()) controller.abort();
    },
  };
}

function isDecision(value: unknown): value is PermissionDecision {
  if (value === 'allow' || value === 'deny') return true;
  return typeof value === 'object' && value !== null && 'deny' in value && typeof value.deny === 'string';
}
