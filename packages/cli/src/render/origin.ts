import { object, text } from '@native-compaction/transport';
import type { Capture } from '../capture.ts';
import { toSecond } from './duration.ts';

/** Whose compaction a capture shows and when it was asked for, as far as the file tells, as labels and values. */
export function toOriginPairs({ marks, result }: Capture): (readonly [string, string])[] {
  const records = marks.map(({ kind, content }) => (kind === 'record' ? (object(content) ?? {}) : {}));
  const native = records.findLast(({ nativeId }) => text(nativeId) !== undefined)?.nativeId;
  const asked = records.find(({ type, requestId }) => type === 'compaction_requested' && requestId === result?.requestId);
  const atMs = asked?.atMs ?? result?.dispatchedAtMs;
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['session', text(native) ?? result?.sessionId],
    ['request', result?.requestId],
    ['asked at', typeof atMs === 'number' ? toSecond(atMs) : undefined],
  ];
  return pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined);
}
