import type { Loop } from './loop.ts';
import type { Machine, PermissionDecision } from './machine.ts';
import type { RecordDraft } from './record.ts';

/** A native question whether a tool may run. `input` is redacted; the raw question is `session.frame(frame)`. */
export interface PermissionRequest {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly frame: number;
  /** Fires on abort, on dispose and when the turn ends; an answer after that is dropped. */
  readonly signal: AbortSignal;
}

/** A host's answer. None given, or a throw, is a denial (T8). */
export type PermissionCallback = (request: PermissionRequest) => PermissionDecision | Promise<PermissionDecision>;

export interface Permissions {
  onRecord(record: RecordDraft): void;
  /** Fires the signals of all open questions. */
  cancel(): void;
}

/** Carries native permission questions to the host and its decision back; nothing hangs for want of an answer. */
export function createPermissions<In, Out, S, F>(deps: {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: () => Loop<Out, S>;
  readonly callback: PermissionCallback | undefined;
}): Permissions {
  const open = new Map<string, AbortController>();

  const answer = (id: string, decision: PermissionDecision) => {
    if (!open.delete(id) || deps.loop().isEnded) return;
    const frame = deps.machine.answer(deps.loop().state, id, decision);
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
    for (const controller of open.values()) controller.abort();
  };

  return {
    onRecord(record) {
      if (record.type === 'permission_asked') {
        const controller = new AbortController();
        open.set(record.permissionId, controller);
        const { permissionId: id, tool, input, frame } = record;
        const request = { id, tool, input, frame, signal: controller.signal };
        // Host code never runs inside the loop's own turn.
        void Promise.resolve(request)
          .then(ask)
          .then((decision) => answer(id, decision));
      } else if (record.type === 'permission_answered' && record.by === 'native') {
        open.get(record.permissionId)?.abort();
        open.delete(record.permissionId);
      } else if (record.type === 'turn_ended' && record.taskId === undefined) {
        cancel();
        open.clear();
      }
    },
    cancel,
  };
}

function isDecision(value: unknown): value is PermissionDecision {
  if (value === 'allow' || value === 'deny') return true;
  return typeof value === 'object' && value !== null && 'deny' in value && typeof value.deny === 'string';
}
