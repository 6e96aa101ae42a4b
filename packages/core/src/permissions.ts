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

interface Question {
  readonly id: string;
  readonly controller: AbortController;
  /** A child agent's question outlives the turns of the session itself. */
  readonly isChild: boolean;
}

/** What the permissions need from their neighbours. */
export interface PermissionDeps<In, Out, S, F> {
  readonly machine: Machine<In, Out, S, F>;
  readonly loop: Loop<In, Out, S, F>;
}

/** Carries native permission questions to the host and its decision back; nothing hangs for want of an answer. */
export class Permissions<In, Out, S, F> {
  readonly #deps: PermissionDeps<In, Out, S, F>;
  readonly #callback: PermissionCallback | undefined;
  #open: readonly Question[] = [];

  constructor(deps: PermissionDeps<In, Out, S, F>, callback: PermissionCallback | undefined) {
    this.#deps = deps;
    this.#callback = callback;
  }

  onRecord(record: RecordDraft): void {
    if (record.type === 'permission_asked') {
      const { permissionId: id, tool, input, frame, toolCallId } = record;
      const controller = new AbortController();
      this.#open = [...this.#open, { id, controller, isChild: record.isChild === true }];
      const named = toolCallId === undefined ? {} : { toolCallId };
      const request = { id, tool, input, frame, ...named, signal: controller.signal };
      // Host code never runs inside the loop's own turn.
      void Promise.resolve(request)
        .then((asked) => this.#ask(asked))
        .then((decision) => this.#answer(id, decision));
    } else if (record.type === 'permission_answered' && record.by === 'native') {
      this.#close(record.permissionId)?.controller.abort();
    } else if (record.type === 'turn_ended' && record.kind === 'prompt' && record.taskId === undefined) {
      this.cancel();
      // What was asked in this turn and is not answered gets its denial; the vendor may wait for it.
      for (const { id, isChild } of this.#open) if (!isChild) queueMicrotask(() => this.#answer(id, 'deny'));
    }
  }

  /** The turn is being cancelled: fires the signals of its questions, and every answer from now on is a denial. */
  cancel(): void {
    for (const { controller, isChild } of this.#open) if (!isChild) controller.abort();
  }

  /** The session is over: fires the signals of all open questions. */
  end(): void {
    for (const { controller } of this.#open) controller.abort();
  }

  #close(id: string): Question | undefined {
    const question = this.#open.find((open) => open.id === id);
    this.#open = this.#open.filter((open) => open !== question);
    return question;
  }

  #answer(id: string, decision: PermissionDecision): void {
    const { machine, loop } = this.#deps;
    const question = loop.isEnded ? undefined : this.#close(id);
    if (!question) return;
    const said: PermissionDecision = question.controller.signal.aborted ? { deny: 'The turn was cancelled.' } : decision;
    const frame = machine.answer(loop.state, id, said);
    if (frame !== undefined) loop.write({ frame, ref: { kind: 'answer', id } });
  }

  async #ask(request: PermissionRequest): Promise<PermissionDecision> {
    if (!this.#callback) return { deny: 'The host has no permission callback, so every tool that asks is denied.' };
    try {
      const decision = await this.#callback(request);
      return isDecision(decision) ? decision : { deny: 'The host gave no valid decision.' };
    } catch {
      return { deny: 'The host could not decide.' };
    }
  }
}

function isDecision(value: unknown): value is PermissionDecision {
  if (value === 'allow' || value === 'deny') return true;
  return typeof value === 'object' && value !== null && 'deny' in value && typeof value.deny === 'string';
}
