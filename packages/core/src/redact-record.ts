import type { RecordDraft } from './record.ts';
import type { Redactor } from './redact.ts';

/** Members that are ids, enumerations or numbers by the record schema, and are never touched. */
const plainMembers = new Set([
  'type', 'requestId', 'inputId', 'inputIds', 'nativeId', 'turnId', 'messageId', 'toolCallId', 'permissionId', 'taskId',
  'nativeKeys', 'position', 'follows', 'between', 'process', 'origin', 'outcome', 'kind', 'reason', 'decision', 'by', 'detail', 'hint', 'why',
]); // biome-ignore format: one list

/** Characters of a line nobody understands that a record keeps; it is cut after it is redacted, never before. */
const UNPARSED_CHARACTERS = 2_000;

/** The redacted form of a record; the draft itself where nothing had to go. */
export function redactRecord(draft: RecordDraft, redactor: Redactor): RecordDraft {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(draft)) {
    const member = (draft as unknown as Record<string, unknown>)[name];
    if (typeof member === 'number' || plainMembers.has(name)) continue;
    const clean = cleanMember(name, member, redactor);
    if (clean === member) continue;
    copy ??= { ...draft };
    copy[name] = clean;
  }
  const clean = (copy as RecordDraft | undefined) ?? draft;
  if (clean.type !== 'unparsed' || clean.text.length <= UNPARSED_CHARACTERS) return clean;
  return { ...clean, text: clean.text.slice(0, UNPARSED_CHARACTERS) };
}

/** Strings that come from an error or from stderr lose home paths and hosts too. */
function cleanMember(name: string, member: unknown, redactor: Redactor): unknown {
  if (typeof member !== 'string') return redactor.value(member);
  if (name === 'message') return redactor.message(member);
  return name === 'stderrTail' ? redactor.error(member) : redactor.text(member);
}
