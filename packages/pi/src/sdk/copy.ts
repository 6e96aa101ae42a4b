import { type JsonObject, object } from '@native-compaction/transport';

/** A copy as RPC would write it. What JSON has no word for, an extension may well have put there: it is named, and the rest is kept. */
export function toJson(value: JsonObject): JsonObject {
  return tryJson(value) ?? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, [])]));
}

function tryJson(value: JsonObject): JsonObject | undefined {
  try {
    return object(JSON.parse(JSON.stringify(value)));
  } catch {
    return undefined;
  }
}

/** Deep enough for any frame of Pi, and far from where a stack ends. */
const MAX_DEPTH = 100;

function plain(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value) || above.length > MAX_DEPTH) return { unreadable: true };
  try {
    const inside = [...above, value];
    if (Array.isArray(value)) return value.map((item: unknown) => plain(item, inside) ?? null);
    if ('toJSON' in value && typeof value.toJSON === 'function') return plain(value.toJSON(), inside);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, inside)]));
  } catch {
    return { unreadable: true }; // a getter or a proxy that throws
  }
}
