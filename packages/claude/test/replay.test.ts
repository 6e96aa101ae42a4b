import { initialView, reduceView, type SessionRecord, sessionRecordSchema } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import { fixtures, replay } from './support/replay.ts';

const all = fixtures();

describe.each(all.map((fixture) => [`${fixture.version} ${fixture.name}`, fixture] as const))(
  'the recording %s',
  (_name, fixture) => {
    const played = fixture.processes.map(replay);

    test('the machine says what the library said when it was recorded', () => {
      const settled = played.flatMap(({ settlements }) => settlements).map(({ status }) => status);
      // A caller that did not wait, or was refused before the write, has its result from elsewhere.
      const expected = fixture.results
        .filter(({ status, reason }) => status !== 'rejected' && reason !== 'timeout')
        .map(({ status }) => status);
      const late = fixture.results.some(({ reason }) => reason === 'timeout');
      expect(settled).toEqual(late ? ['completed'] : expected);
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

test('there is a recording of every scenario for every tested version', () => {
  const versions = Map.groupBy(all, (fixture) => fixture.version);
  const names = [...versions.values()].map((list) => list.map((fixture) => fixture.name));
  expect(versions.size).toBe(2);
  expect(names[0]).toEqual(names[1]);
});
