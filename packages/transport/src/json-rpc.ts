import type { JsonObject } from './json-lines.ts';
import { object, text } from './json-values.ts';

/** A JSON-RPC message as a machine reads it; the `jsonrpc` member is optional on both sides. */
export type RpcFact =
  | { readonly kind: 'response'; readonly id: string; readonly result?: JsonObject; readonly error?: RpcError }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'unknown' };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** Sorts a message; an answer is known by its id alone, and ids of ours are strings. */
export function toRpcFact(frame: JsonObject): RpcFact {
  const method = text(frame.method);
  const params = object(frame.params) ?? {};
  if (method !== undefined) {
    const { id } = frame;
    if (typeof id === 'string' || typeof id === 'number') return { kind: 'request', id, method, params };
    return { kind: 'notification', method, params };
  }
  if (typeof frame.id !== 'string') return { kind: 'unknown' };
  const error = toError(frame);
  if (error) {
    const data = object(error.data);
    const code = typeof error.code === 'number' ? error.code : 0;
    return { kind: 'response', id: frame.id, error: { code, message: text(error.message) ?? '', ...(data ? { data } : {}) } };
  }
  return { kind: 'response', id: frame.id, result: object(frame.result) ?? {} };
}

/** An answer says an error or a result; one that says neither, or an error in words alone, is no success. */
function toError(frame: JsonObject): JsonObject | undefined {
  if (frame.error !== undefined && frame.error !== null) return object(frame.error) ?? { message: String(frame.error) };
  return 'result' in frame ? undefined : { message: 'The answer holds neither a result nor an error.' };
}

export function rpcRequest(id: string, method: string, params: JsonObject): JsonObject {
  return { id, method, params };
}

export function rpcNotification(method: string): JsonObject {
  return { method };
}

export function rpcResult(id: string | number, result: JsonObject): JsonObject {
  return { id, result };
}

/** The proper answer to a request nobody here knows. */
export function rpcRefusal(id: string | number, method: string): JsonObject {
  return { id, error: { code: -32601, message: `This client does not answer ${method}.` } };
}
