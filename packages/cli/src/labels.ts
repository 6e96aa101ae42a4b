import { type JsonObject, object, text } from '@native-compaction/transport';

/** What a line holds: a frame, the end of the process, a record, the result, or what the agent's files said after it. */
export const markKinds = ['in', 'out', 'end', 'record', 'result', 'afterwards'] as const;
export type MarkKind = (typeof markKinds)[number];

/** A short name of a line, from the words that the vendors' frames have in common; the whole frame is shown beside it. */
export function labelOf(kind: MarkKind, content: unknown): string {
  const value = object(content) ?? {};
  switch (kind) {
    case 'end':
      return 'the process ended';
    case 'result':
      return ['result', value.status, value.reason ?? value.by].filter(isWord).join(' ');
    case 'afterwards':
      return ['afterwards', value.context].filter(isWord).join(' ');
    case 'record':
      return recordLabel(value);
    default:
      return frameLabel(value);
  }
}

/** How much of a text stands in a label. */
const EXCERPT = 100;

function recordLabel(record: JsonObject): string {
  const words = [
    text(record.type)?.replaceAll('_', ' '),
    record.tool,
    record.origin,
    record.detail,
    record.outcome,
    record.reason,
  ];
  return words.filter(isWord).join(' ') + excerptOf(record.text ?? record.message);
}

/** The beginning of what was said, if it is text. */
function excerptOf(said: unknown): string {
  return isWord(said) ? `: ${[...said.slice(0, 2 * EXCERPT)].slice(0, EXCERPT).join('')}` : '';
}

/** JSON-RPC has a method, or is an answer; the others have a type. */
function frameLabel(frame: JsonObject): string {
  const item = object(object(frame.params)?.item);
  if (isWord(frame.method)) return [frame.method, item?.type].filter(isWord).join(' ');
  const answer = 'error' in frame && !isWord(frame.type) ? 'error' : 'response';
  const request = object(frame.request);
  const words = [
    frame.type ?? answer,
    frame.subtype ?? request?.subtype,
    frame.command,
    frame.status,
    frame.state,
    frame.compact_result,
  ];
  return words.filter(isWord).join(' ') + excerptOf(object(frame.message)?.content);
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
