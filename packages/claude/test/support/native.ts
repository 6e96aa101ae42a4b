import type { JsonObject } from '@native-compaction/transport';

const SESSION = '00000000-0000-4000-8000-000000000001';

/** Native frames by hand, in the shapes of 2.1.332, for what the machine is stepped with in tests. */
export const native = {
  opened: (request_id: string, extra: JsonObject = {}): JsonObject => ({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id,
      response: {
        commands: [{ name: 'compact', builtin: true }],
        claude_code_version: '2.1.332',
        session_state: 'idle',
        ...extra,
      },
    },
  }),
  lifecycle: (command_uuid: string, state: string): JsonObject => ({
    type: 'command_lifecycle',
    command_uuid,
    state,
    session_id: SESSION,
  }),
  compacting: (): JsonObject => ({ type: 'system', subtype: 'status', status: 'compacting', session_id: SESSION }),
  compacted: (compact_result: 'success' | 'failed', compact_error?: string): JsonObject => ({
    type: 'system',
    subtype: 'status',
    status: null,
    compact_result,
    ...(compact_error ? { compact_error } : {}),
    session_id: SESSION,
  }),
  status: (): JsonObject => ({ type: 'system', subtype: 'status', status: null, session_id: SESSION }),
  init: (...user_message_uuids: string[]): JsonObject => ({
    type: 'system',
    subtype: 'init',
    session_id: SESSION,
    capabilities: ['msg_lifecycle_v1', 'interrupt_cancel_queued_v1'],
    ...(user_message_uuids.length > 0 ? { user_message_uuids } : {}),
  }),
  boundary: (trigger: string, uuid = `boundary-${trigger}`): JsonObject => ({
    type: 'system',
    subtype: 'compact_boundary',
    uuid,
    session_id: SESSION,
    compact_metadata: { trigger, pre_tokens: 100, post_tokens: 10, duration_ms: 5 },
  }),
  commandFailed: (text: string): JsonObject => ({
    type: 'assistant',
    parent_tool_use_id: null,
    session_id: SESSION,
    local_command_source: `<local-command-stderr>${text}</local-command-stderr>`,
    local_command_outcome: { kind: 'failed' },
    message: { id: 'm', model: '<synthetic>', content: [{ type: 'text', text }] },
  }),
  result: (uuid: string | undefined, extra: JsonObject = {}): JsonObject => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    result: '',
    session_id: SESSION,
    ...(uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: [uuid] }),
    ...extra,
  }),
  compactResult: (uuid: string | undefined, extra: JsonObject = {}): JsonObject =>
    native.result(uuid, { local_command: 'compact', num_turns: 0, ...extra }),
  autonomous: (): JsonObject => native.result(undefined, { origin: { kind: 'task-notification' } }),
  receipt: (request_id: string, still_queued: string[] = []): JsonObject => ({
    type: 'control_response',
    response: { subtype: 'success', request_id, response: { still_queued } },
  }),
};
