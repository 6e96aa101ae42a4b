import type { JsonObject } from '@native-compaction/transport';
import { OPEN_ID } from '../../src/state.ts';

const SESSION = '00000000-0000-7000-8000-000000000001';

/** Native frames by hand, in the shapes of 1.6.0. */
export const native = {
  state: (id: string, data: JsonObject = {}): JsonObject =>
    native.answer(id, 'get_state', {
      sessionId: SESSION,
      isStreaming: false,
      isCompacting: false,
      pendingMessageCount: 0,
      ...data,
    }),
  opening: (): JsonObject[] => [native.state(OPEN_ID)],
  answer: (id: string, command: string, data?: JsonObject): JsonObject => ({
    id,
    type: 'response',
    command,
    success: true,
    ...(data ? { data } : {}),
  }),
  failure: (id: string, command: string, error = 'no'): JsonObject => ({ id, type: 'response', command, success: false, error }),
  user: (text: string): JsonObject => ({ type: 'message_end', message: { role: 'user', content: [{ type: 'text', text }] } }),
  start: (reason = 'manual'): JsonObject => ({ type: 'compaction_start', reason }),
  completed: (reason = 'manual'): JsonObject => ({
    type: 'compaction_end',
    reason,
    result: native.result,
    aborted: false,
    willRetry: false,
  }),
  failed: (reason = 'manual', errorMessage = 'Compaction failed: no'): JsonObject => ({
    type: 'compaction_end',
    reason,
    aborted: false,
    willRetry: false,
    errorMessage,
  }),
  aborted: (reason = 'manual'): JsonObject => ({ type: 'compaction_end', reason, aborted: true, willRetry: false }),
  result: { summary: 'S', firstKeptEntryId: 'abcdef01', tokensBefore: 9, estimatedTokensAfter: 3 } as JsonObject,
};
