import { object, Unparsed } from '@native-compaction/transport';

/** A frame as a capture or a record may show it: pieces of text that cannot be redacted one by one are only counted (R9). */
export function present(frame: unknown): unknown {
  if (frame instanceof Unparsed) return { unparsed: frame.kind, bytes: frame.bytes };
  const native = object(frame);
  if (native?.type === 'bash_execution_update') return { ...native, ...counted(native.delta, 'delta') };
  const event = native?.type === 'message_update' ? object(native.assistantMessageEvent) : undefined;
  return event ? { ...native, assistantMessageEvent: { ...event, ...counted(event.delta, 'delta') } } : frame;
}

function counted(value: unknown, name: string): Record<string, string> {
  return typeof value === 'string' ? { [name]: `[${value.length} characters]` } : {};
}
