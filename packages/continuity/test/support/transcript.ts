import type { Relation, TranscriptMessage } from '../../src/index.ts';

/** A user message; without a relation it has no field at all. */
export const user = (content: string, relation?: Relation, extra: object = {}): TranscriptMessage => ({
  role: 'user',
  content,
  ...(relation === undefined ? {} : { turn_semantics: { schema_version: 1, objective_relation: relation } }),
  ...extra,
});
export const assistant = (content = 'A'): TranscriptMessage => ({ role: 'assistant', content });
export const marker: TranscriptMessage = { role: 'system', content: 'compacted', _compact_boundary: true };
export const call = (...ids: string[]): TranscriptMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
export const result = (id: string, content = `result ${id}`): TranscriptMessage => ({ role: 'tool', tool_call_id: id, content });
export const group = (id: string): TranscriptMessage[] => [call(id), result(id)];
export const runtime = (delivery: string) => ({ runtime_provenance: { producer: 'runtime', delivery } });
