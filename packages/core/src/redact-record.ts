import type { RecordDraft } from './record.ts';
import type { Redactor } from './redact.ts';

/** Members whose strings come from an error or from stderr, where home paths and hosts go too (R9). */
const errorMembers = new Set(['message', 'stderrTail']);
/** Members that are ids, enumerations or numbers by the record schema, and are never touched. */
const plainMembers = new Set([
  'type', 'requestId', 'inputId', 'inputIds', 'nativeId', 'turnId', 'messageId', 'toolCallId', 'permissionId', 'taskId',
  'nativeKeys', 'position', 'follows', 'origin', 'outcome', 'kind', 'reason', 'decision', 'by', 'detail', 'hint', 'why',
]); // biome-ignore format: one list

/** Characters of an error a host is shown, which a vendor may quote from a body without bounds; cut after it is redacted. */
const ERROR_CHARACTERS = 16_384;
/** Characters of a line nobody understands that a record keeps; it is cut after it is redacted, never before. */
const UNPARSED_CHARACTERS = 2_000;

/** The redacted form of a record; the draft itself where nothing had to go. */
export function redactRecord(draft: RecordDraft, redactor: Redactor): RecordDraft {
  let copy: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(draft)) {
    if (typeof member === 'number' || plainMembers.has(name)) continue;
    const clean = errorMembers.has(name) && typeof member === 'string' ? errorText(member, redactor) : redactor.value(member);
    if (clean === member) continue;
    copy ??= { ...draft };
    copy[name] = clean;
  }
  const clean = (copy as RecordDraft | undefined) ?? draft;
  if (clean.type !== 'unparsed' || clean.text.length <= UNPARSED_CHARACTERS) return clean;
  return { ...clean, text: clean.text.slice(0, UNPARSED_CHARACTERS) };
}

/** Error-derived text as a host may see it: redacted, and then bounded (R9). */
export function errorText(text: string, redactor: Redactor): string {
  const clean = redactor.error(text);
  return clean.length <= ERROR_CHARACTERS ? clean : `${clean.slice(0, ERROR_CHARACTERS)}…`;
}
