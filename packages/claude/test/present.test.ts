import { createRedactor } from '@native-compaction/core';
import { createTap, type TapLine, Unparsed } from '@native-compaction/transport';
import { expect, test } from 'vitest';
import { present } from '../src/present.ts';

test('R9 a capture only counts the pieces of a text that comes in deltas', () => {
  const lines: TapLine[] = [];
  const tap = createTap((line) => void lines.push(line), createRedactor(), 1, present);
  const key = `sk-ant-api03-${'aB3'.repeat(12)}`;
  for (const piece of key)
    tap('in', { type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text: piece } } });
  tap('in', { type: 'stream_event', event: { delta: { type: 'input_json_delta', partial_json: key.slice(0, 20) } } });
  tap('in', new Unparsed('oversize', '', 7));
  expect(lines[0]?.frame).toEqual({
    type: 'stream_event',
    event: { type: 'content_block_delta', delta: { type: 'text_delta', text: '[1 characters]' } },
  });
  expect(JSON.stringify(lines)).not.toContain('sk-');
  expect(present({ type: 'result', delta: 1 })).toEqual({ type: 'result', delta: 1 });
});
