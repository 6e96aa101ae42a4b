import type { Canonical } from './canonical.ts';
import { deliveryOf, isBoundary, isVisibleUser, type TranscriptMessage, visibleText } from './messages.ts';
import { completeGroup, hasCalls, resultsAfter } from './tool-groups.ts';
import { firstCorrupt, readSemantics, relationOf } from './turn-semantics.ts';

export interface TurnOptions {
  /** True when a user message was committed before these messages. */
  readonly hasPriorUser?: boolean | undefined;
}

/** A turn that ended: its tool calls and results were scratch, its final text stays. */
export function projectCompleted(messages: readonly TranscriptMessage[], options: TurnOptions = {}): Canonical {
  return strict(messages, () =>
    body(messages, { start: turnStart(messages), groups: 'dropped', hasUser: options.hasPriorUser === true }),
  );
}

/** A turn that may go on: complete groups of calls and results stay. */
export function projectResumable(messages: readonly TranscriptMessage[], options: TurnOptions = {}): Canonical {
  return strict(messages, () =>
    body(messages, { start: turnStart(messages), groups: 'kept', hasUser: options.hasPriorUser === true }),
  );
}

/** What a new process goes on with: from the last marker on. */
export function projectContinuation(messages: readonly TranscriptMessage[]): Canonical {
  return strict(messages, () => body(messages, { start: lastBoundary(messages), groups: 'kept', hasUser: false }));
}

/** The same from a transcript with corrupt fields: each is removed and counted, never the message. */
export function recoverContinuation(messages: readonly TranscriptMessage[]): {
  readonly messages: readonly TranscriptMessage[];
  readonly removed: number;
} {
  const { sound, removed } = withoutCorrupt(messages);
  return { messages: body(sound, { start: lastBoundary(sound), groups: 'kept', hasUser: false }), removed };
}

/** How many messages a prompt-facing projection holds at most. */
const PROMPT_MESSAGES = 40;

/** What a provider or a display gets, newest last; `isLenient` drops corrupt fields instead of refusing. */
export function projectPromptFacing(messages: readonly TranscriptMessage[], { isLenient = false } = {}): Canonical {
  const project = (from: readonly TranscriptMessage[]) =>
    body(from, { start: lastBoundary(from), groups: 'dropped', hasUser: false }).slice(-PROMPT_MESSAGES);
  if (!isLenient) return strict(messages, () => project(messages));
  const { sound } = withoutCorrupt(messages);
  return { ok: true, messages: project(sound) };
}

/** What a user is shown: no tools, nothing of the runtime's own, no fields, no control characters or escapes. */
export function projectVisible(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return messages.flatMap((message) => {
    if (isBoundary(message) || deliveryOf(message) !== undefined || message.role === 'tool' || hasCalls(message)) return [];
    const content = withoutControls(visibleText(message)).trim();
    return content === '' ? [] : [{ role: message.role, content }];
  });
}

function withoutCorrupt(messages: readonly TranscriptMessage[]) {
  let removed = 0;
  const sound = messages.map((message): TranscriptMessage => {
    if (readSemantics(message).is !== 'corrupt') return message;
    removed += 1;
    const { turn_semantics: _corrupt, ...rest } = message;
    return rest as TranscriptMessage;
  });
  return { sound, removed };
}

function strict(messages: readonly TranscriptMessage[], project: () => readonly TranscriptMessage[]): Canonical {
  const error = firstCorrupt(messages);
  return error ? { ok: false, error } : { ok: true, messages: project() };
}

/** The marker cuts nothing by itself: only a typed `replace` after the last one says that what came before is over. */
function turnStart(messages: readonly TranscriptMessage[]): number {
  const marker = messages.findLastIndex(isBoundary);
  if (marker < 0) return 0;
  const start = messages.findLastIndex(
    (message, index) => index > marker && isVisibleUser(message) && relationOf(message) === 'replace',
  );
  return Math.max(0, start);
}

function lastBoundary(messages: readonly TranscriptMessage[]): number {
  return Math.max(0, messages.findLastIndex(isBoundary));
}

interface Rules {
  readonly start: number;
  readonly groups: 'kept' | 'dropped';
  readonly hasUser: boolean;
}

function body(messages: readonly TranscriptMessage[], { start, groups, hasUser }: Rules): TranscriptMessage[] {
  const output: TranscriptMessage[] = [];
  let isAfterUser = hasUser;
  for (let index = start; index < messages.length; index += 1) {
    const message = messages[index] as TranscriptMessage;
    const delivery = deliveryOf(message);
    if (isBoundary(message)) continue;
    if (delivery !== undefined) {
      if (delivery === 'append_only_required_context') output.push(message);
      continue;
    }
    const content = visibleText(message);
    if (message.role === 'user' || message.role === 'system') {
      if (content === '') continue;
      isAfterUser ||= message.role === 'user';
      output.push({ role: message.role, content, ...semanticsOf(message) });
    } else if (message.role === 'assistant' && isAfterUser) {
      const isCall = hasCalls(message);
      if (isCall && groups === 'dropped') continue;
      const group = isCall ? completeGroup(message, resultsAfter(messages, index)) : [];
      if (group.length > 0) output.push(...group);
      else if (content !== '') output.push({ role: 'assistant', content });
    }
  }
  return output;
}

function semanticsOf(message: TranscriptMessage): { turn_semantics?: unknown } {
  const reading = readSemantics(message);
  return reading.is === 'read' ? { turn_semantics: reading.semantics } : {};
}

function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters and terminal escapes are what is taken out
  const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the same; tab and newline stay
  return text.replace(escapes, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
