import { expect, test } from 'vitest';
import { describeRecordings } from '../../../test/support/recordings.ts';
import { recordings, replay } from './support/replay.ts';

describeRecordings(recordings(), replay, ({ processes, name }) => {
  test('a compaction of ours is never cancelled before it has started, nor after it has ended', () => {
    for (const lines of processes) {
      let isRunning = false;
      let isDispatched = false;
      for (const { dir, frame } of lines) {
        if (dir === 'out' && frame.type === 'compact') isDispatched = true;
        if (dir === 'in' && frame.reason === 'manual') isRunning = frame.type === 'compaction_start';
        if (dir === 'in' && frame.command === 'compact') isDispatched = false;
        if (dir === 'out' && frame.type === 'abort' && isDispatched) expect(isRunning).toBe(true);
      }
    }
  });

  test('what the adapter made in process is marked, and over RPC nothing is', () => {
    const responses = processes.flat().filter(({ dir, frame }) => dir === 'in' && frame.type === 'response');
    const isInProcess = /^[a-z]+-sdk/.test(name);
    expect(new Set(responses.map(({ frame }) => frame.adapterMade === true))).toEqual(new Set([isInProcess]));
  });
});
