import { initialView, reduceView, type SessionRecord, sessionRecordSchema } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { fixtures, replay } from './support/replay.ts';

const all = fixtures();

describe.each(all.map((fixture) => [`${fixture.version} ${fixture.name}`, fixture] as const))(
  'the recording %s',
  (_name, fixture) => {
    const played = fixture.processes.map(replay);

    test('the machine says what it said when it was recorded', () => {
      const ended = played.flatMap(({ records }) =>
        records.flatMap((item) => (item.type === 'compaction_ended' ? [[item.origin, item.outcome]] : [])),
      );
      // Several processes may have been recorded at once, so their ends are compared without their order among each other.
      if (played.length === 1) expect(ended).toEqual(fixture.outcomes);
      else expect(ended.map(String).sort()).toEqual(fixture.outcomes.map(String).sort());
      const settled = played.flatMap(({ settlements }) => settlements.filter(({ status }) => status !== 'rejected'));
      expect(settled).toHaveLength(ended.filter(([origin]) => origin === 'manual').length);
    });

    test('T5 inputId and inputIds are the native fields, on every turn', () => {
      for (const [index, lines] of fixture.processes.entries()) {
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

    test('T2 T3 replaying a prefix, checkpointing and replaying the rest equals replaying all, at every record', () => {
      for (const { records } of played) {
        const numbered = records.map((draft, index) => ({ log: 'L', seq: index + 1, atMs: index, ...draft })) as SessionRecord[];
        for (const record of numbered) sessionRecordSchema.parse(record);
        const whole = numbered.reduce(reduceView, initialView);
        for (let cut = 0; cut <= numbered.length; cut += 1) {
          const kept = JSON.parse(JSON.stringify(numbered.slice(0, cut).reduce(reduceView, initialView)));
          expect(numbered.slice(cut).reduce(reduceView, kept)).toEqual(whole);
        }
      }
    });

    test('it names no folder, key or host of the machine it was made on', () => {
      expect(JSON.stringify(fixture)).not.toMatch(/\/tmp\/|\/root|dummy-key|127\.0\.0\.1:\d/);
    });
  },
);

test('there is a recording of every live test on a real CLI, for every tested version', () => {
  const versions = Map.groupBy(all, (fixture) => fixture.version);
  const names = [...versions.values()].map((list) => list.map((fixture) => fixture.name));
  expect(versions.size).toBe(2);
  expect(names[0]?.length).toBeGreaterThan(60);
  expect(names[0]).toEqual(names[1]);
});
