/** A block of a message: text, a tool call, or what a vendor adds. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * One message of a host's own transcript, as JSON. Who owns it and what it says of the objective are typed fields; role and text
 * never decide that.
 */
export interface TranscriptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: string | readonly ContentBlock[] | unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly [key: string]: unknown }[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly reasoning_content?: string;
  /** True marks where a compaction removed something. A note, not a cut line: what stays may stand on either side of it. */
  readonly _compact_boundary?: unknown;
  readonly runtime_provenance?: unknown;
  readonly turn_semantics?: unknown;
  readonly [key: string]: unknown;
}

/** How runtime-owned messages travel. Only `append_only_required_context` keeps its place in a canonical transcript. */
const deliveries = ['ephemeral_control', 'required_context', 'append_only_required_context', 'projection'] as const;
export type Delivery = (typeof deliveries)[number];

/** True for a boundary marker, whatever its role and text. */
export function isBoundary(message: TranscriptMessage): boolean {
  return message._compact_boundary === true;
}

/** The delivery of a message that the runtime owns. Foreign or malformed provenance claims nothing. */
export function deliveryOf({ runtime_provenance: provenance }: TranscriptMessage): Delivery | undefined {
  if (typeof provenance !== 'object' || provenance === null) return undefined;
  const { producer, delivery } = provenance as { producer?: unknown; delivery?: unknown };
  return producer === 'runtime' ? deliveries.find((known) => known === delivery) : undefined;
}

export function isRuntimeOwned(message: TranscriptMessage): boolean {
  return deliveryOf(message) !== undefined;
}

/** The text of a message, trimmed: a string, or its text blocks joined by newlines. Empty when it has none. */
export function visibleText({ content }: TranscriptMessage): string {
  if (typeof content === 'string') return content.trim();
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((block) => textOf(block) ?? []);
  return texts.join('\n').trim();
}

/** A message that the user wrote and that says something. */
export function isVisibleUser(message: TranscriptMessage): boolean {
  return message.role === 'user' && !isBoundary(message) && !isRuntimeOwned(message) && visibleText(message) !== '';
}

function textOf(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null) return undefined;
  const { type, text } = block as { type?: unknown; text?: unknown };
  return (type === 'text' || type === 'output_text') && typeof text === 'string' ? text : undefined;
}

/** JSON with the keys of every object in order, so that equal values give equal bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
