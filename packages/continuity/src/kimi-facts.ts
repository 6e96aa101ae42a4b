import { z } from 'zod';
import type { LedgerFact } from './facts.ts';
import type { EvidenceRef, RequestKind } from './ledger.ts';

const id = z.union([z.string(), z.number()]).transform(String);
const origin = z.looseObject({ kind: z.string(), trigger: z.string().optional() });
const part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part)]);
const prompt = z.looseObject({
  turnId: id.optional(),
  promptId: id.optional(),
  origin: origin.optional(),
  input: content.optional(),
  content: content.optional(),
});
const ended = z.looseObject({ turnId: id.optional(), promptId: id.optional(), reason: z.string().optional() });

/** What a reader of Kimi's events has to remember: the prompts of turns that have not ended. */
export interface KimiReader {
  /** Events read so far; the evidence of each fact is the line it came from. */
  readonly line: number;
  readonly prompts: Readonly<Record<string, string>>;
}

export const initialKimiReader: KimiReader = { line: 0, prompts: {} };

/**
 * Reads one event of a Kimi session, a line of its event log or a public event (protocol 1.5, Kimi Code 2.1.0). What is not known
 * gives no fact; a turn that was begun and has no end is in flight.
 */
export function readKimiEvent(reader: KimiReader, event: unknown): { reader: KimiReader; facts: readonly LedgerFact[] } {
  const next = { ...reader, line: reader.line + 1 };
  const type = z.looseObject({ type: z.string() }).safeParse(event).data?.type ?? '';
  const evidence: EvidenceRef = { source: 'kimi', position: next.line, kind: type };
  switch (type) {
    case 'turn.prompt':
    case 'prompt.submitted':
      return accepted(next, prompt.safeParse(event).data, evidence);
    case 'agent.turn.started':
    case 'turn.started':
      return started(next, ended.safeParse(event).data, evidence);
    case 'turn.ended':
    case 'prompt.completed':
      return settled(next, ended.safeParse(event).data, evidence);
    case 'full_compaction.complete':
    case 'compaction.completed':
      return { reader: next, facts: [{ t: 'compacted', evidence }] };
    default:
      return { reader: next, facts: [] };
  }
}

type Read = ReturnType<typeof readKimiEvent>;

function accepted(reader: KimiReader, event: z.infer<typeof prompt> | undefined, evidence: EvidenceRef): Read {
  const kind = kindOf(event?.origin);
  const { promptId, turnId } = event ?? {};
  const name = promptId ?? turnId;
  if (kind === undefined || name === undefined) return { reader, facts: [] };
  const text = textOf(event?.input ?? event?.content);
  const known = turnId === undefined ? reader : { ...reader, prompts: { ...reader.prompts, [turnId]: name } };
  return { reader: known, facts: [{ t: 'accepted', id: name, text, kind, evidence }] };
}

function started(reader: KimiReader, event: z.infer<typeof ended> | undefined, evidence: EvidenceRef): Read {
  const { turnId, promptId } = event ?? {};
  const name = promptId ?? promptOf(reader, turnId);
  if (name === undefined) return { reader, facts: [] };
  const known = turnId === undefined ? reader : { ...reader, prompts: { ...reader.prompts, [turnId]: name } };
  return { reader: known, facts: [{ t: 'started', id: name, evidence }] };
}

/** A turn may be named like a member that every object has. */
function promptOf({ prompts }: KimiReader, turnId: string | undefined): string | undefined {
  return turnId !== undefined && Object.hasOwn(prompts, turnId) ? prompts[turnId] : undefined;
}

/** `turn.ended` is the fact; `prompt.completed` says the same of a prompt that never got a turn. */
function settled(reader: KimiReader, event: z.infer<typeof ended> | undefined, evidence: EvidenceRef): Read {
  const { turnId, promptId, reason } = event ?? {};
  const name = promptId ?? promptOf(reader, turnId);
  if (name === undefined) return { reader, facts: [] };
  const { [turnId ?? '']: _over, ...prompts } = reader.prompts;
  const outcome = reason === 'completed' ? 'completed' : reason === 'cancelled' ? 'aborted' : 'failed';
  return { reader: { ...reader, prompts }, facts: [{ t: 'settled', id: name, outcome, evidence }] };
}

/** What the user asked for; Kimi keeps the same origins and drops the others when it rebuilds a context. */
function kindOf(from: z.infer<typeof origin> | undefined): RequestKind | undefined {
  if (from === undefined || from.kind === 'user') return 'prompt';
  if (from.trigger !== 'user-slash') return undefined;
  return from.kind === 'skill_activation' ? 'skill' : from.kind === 'plugin_command' ? 'command' : undefined;
}

function textOf(input: z.infer<typeof content> | undefined): string {
  if (input === undefined) return '';
  return typeof input === 'string' ? input : input.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
}
