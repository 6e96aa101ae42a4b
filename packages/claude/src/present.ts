import { object, toNative, Unparsed } from '@native-compaction/transport';

/** A frame as a capture or a record may show it: pieces of text that cannot be redacted one by one are only counted (R9). */
export function present(frame: unknown): unknown {
  if (frame instanceof Unparsed) return { unparsed: frame.kind, bytes: frame.bytes };
  const native = object(toNative(frame));
  const event = object(native?.event);
  const delta = object(event?.delta);
  if (native?.type !== 'stream_event' || !delta) return native ?? frame;
  const counted = Object.entries(delta).map(([name, value]) => [
    name,
    typeof value === 'string' && name !== 'type' ? `[${value.length} characters]` : value,
  ]);
  return { ...native, event: { ...event, delta: Object.fromEntries(counted) } };
}
