/** One event of a provider's stream, sent as it is. */
export interface StreamEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A stream that the test writes itself: just these events, sent when `after` has resolved, and a clean end. */
export interface RawStream {
  readonly events: readonly StreamEvent[];
  readonly after?: Promise<unknown>;
}

export function toStreamText(events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** Messages protocol: one error event, or the beginning of a message that never ends. */
export function brokenMessage(error?: string): RawStream {
  if (error !== undefined) return { events: [{ type: 'error', error: { type: 'api_error', message: error } }] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
  return {
    events: [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '<summary>half' } },
    ],
  };
}

const created: StreamEvent = { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress' } };

/** Responses protocol: a stream that begins and ends without saying how it went. */
export const unfinishedResponse: RawStream = { events: [created] };

/** Responses protocol: the provider's own word that it failed, with its error code. */
export function failedResponse(code: string, message: string): RawStream {
  return {
    events: [created, { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error: { code, message } } }],
  };
}

/** Responses protocol: an answer that stopped early. */
export function incompleteResponse(reason: string): RawStream {
  const response = { id: 'resp_1', status: 'incomplete', incomplete_details: { reason } };
  return { events: [created, { type: 'response.incomplete', response }] };
}

/** Responses protocol: one output item, whatever it is. */
export function itemResponse(item: object, after?: Promise<unknown>): RawStream {
  const usage = { input_tokens: 1_000, output_tokens: 50, total_tokens: 1_050 };
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [item], usage };
  const events = [
    created,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  return after === undefined ? { events } : { events, after };
}

/** Responses protocol: the one output item a remote compaction is answered with. */
export function compactionResponse(content: string, after?: Promise<unknown>): RawStream {
  return itemResponse({ type: 'compaction', encrypted_content: content }, after);
}
