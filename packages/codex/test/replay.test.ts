import { object } from '@native-compaction/transport';
import { expect, test } from 'vitest';
import { describeRecordings } from '../../../test/support/recordings.ts';
import { recordings, replay } from './support/replay.ts';

describeRecordings(recordings(), replay, (recording) => {
  test('a cancel always names the turn it is for', () => {
    for (const { dir, frame } of recording.processes.flat()) {
      if (dir === 'out' && frame.method === 'turn/interrupt') expect(object(frame.params)?.turnId).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});
