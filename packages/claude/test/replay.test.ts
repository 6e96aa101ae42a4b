import { expect, test } from 'vitest';
import { describeRecordings } from '../../../test/support/recordings.ts';
import { recordings, replay } from './support/replay.ts';

describeRecordings(recordings(), replay, (recording, played) => {
  test('T5 inputId and inputIds are the native fields, on every turn', () => {
    for (const [index, lines] of recording.processes.entries()) {
      const results = lines.flatMap(({ dir, frame }) =>
        dir === 'in' && frame.type === 'result' ? [[frame.user_message_uuid, frame.user_message_uuids]] : [],
      );
      const records = played[index]?.records ?? [];
      const turns = records.flatMap((item) =>
        item.type === 'turn_ended' && item.message !== 'No result frame came.' ? [[item.inputId, item.inputIds]] : [],
      );
      expect(turns).toEqual(results);
    }
  });
});
