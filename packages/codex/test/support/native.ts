import type { JsonObject } from '@native-compaction/transport';
import { OPEN_IDS } from '../../src/state.ts';

const THREAD = '00000000-0000-7000-8000-000000000001';
const notify = (method: string, params: JsonObject): JsonObject => ({ method, params: { threadId: THREAD, ...params } });

/** Native frames by hand, in the shapes of 0.171.0. */
export const native = {
  opening: (): JsonObject[] => [
    { id: OPEN_IDS.initialize, result: { userAgent: 'native_compaction/0.171.0 (Linux) unknown (x; 0.1.0)' } },
    { id: OPEN_IDS.thread, result: { thread: { id: THREAD, status: { type: 'idle' } } } },
  ],
  result: (id: string, result: JsonObject = {}): JsonObject => ({ id, result }),
  error: (id: string, message: string, data?: JsonObject): JsonObject => ({
    id,
    error: { code: -32600, message, ...(data ? { data } : {}) },
  }),
  turnStarted: (id: string): JsonObject => notify('turn/started', { turn: { id, status: 'inProgress' } }),
  turnCompleted: (id: string, status: string, error: JsonObject | null = null): JsonObject =>
    notify('turn/completed', { turn: { id, status, error } }),
  item: (method: 'item/started' | 'item/completed', turnId: string, id: string, type = 'contextCompaction'): JsonObject =>
    notify(method, { turnId, item: { type, id } }),
  goal: (status: string): JsonObject => notify('thread/goal/updated', { turnId: null, goal: { status } }),
  usage: (turnId: string, totalTokens: number): JsonObject =>
    notify('thread/tokenUsage/updated', { turnId, tokenUsage: { last: { totalTokens } } }),
  isCompact: (id: string): JsonObject =>
    native.error(id, 'cannot steer a compact turn', { codexErrorInfo: { activeTurnNotSteerable: { turnKind: 'compact' } } }),
  isOrdinary: (id: string): JsonObject => native.error(id, 'input must not be empty'),
};
