import { describe, expect, test } from 'vitest';
import { native } from './support/native.ts';
import { openBench } from './support/open.ts';

/** Result frames of agents that speak the same stream-json with fewer members, in their shapes. */
const others = {
  'Qwen 0.24': {
    type: 'result',
    subtype: 'success',
    uuid: 'r1',
    is_error: false,
    num_turns: 1,
    result: 'ok',
    usage: { input_tokens: 7, output_tokens: 1 },
  },
  'Qoder 1.1': {
    type: 'result',
    subtype: 'success',
    uuid: 'r2',
    is_error: true,
    num_turns: 1,
    result: 'not logged in',
    terminal_reason: 'completed',
    usage: { input_tokens: 0, output_tokens: 0 },
  },
};

describe('turns', () => {
  test.each(Object.entries(others))(
    'T5 a result of %s has neither field: nothing stands in for them, and the input still ends',
    async (_who, frame) => {
      const bench = await openBench({ opening: { claude_code_version: '0.0.1' } });
      const input = bench.session.send('hello');
      bench.peer.send({ ...native.init(), capabilities: [] });
      bench.peer.send({ ...frame, session_id: '00000000-0000-4000-8000-000000000001' });
      expect(await input.ended).toBe(frame.is_error ? 'failed' : 'completed');
      const { seq } = bench.session.checkpoint().cursor;
      for await (const record of bench.session.records()) {
        if (record.type === 'turn_ended') {
          expect(record).not.toHaveProperty('inputId');
          expect(record).not.toHaveProperty('inputIds');
        }
        if (record.seq === seq) break;
      }
    },
  );

  test('a turn whose messages all ended without a result is over, and its input is unconfirmed', async () => {
    const bench = await openBench();
    const input = bench.session.send('hello');
    bench.peer.send(native.lifecycle(input.id, 'started'));
    bench.peer.send(native.lifecycle(input.id, 'completed'));
    expect(await input.ended).toBe('unconfirmed');
    expect(bench.session.status().state).toBe('idle');
  });
});
