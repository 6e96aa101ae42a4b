import type { RecordedLine, Recording, Replayed } from '@native-compaction/conformance';
import { initialView, reduceView, type SessionRecord, sessionRecordSchema } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';

/** What must hold of every recording of a vendor; `more` adds what only holds for this one. */
export function describeRecordings(
  all: readonly Recording[],
  replay: (lines: readonly RecordedLine[]) => Replayed,
  more: (recording: Recording, played: readonly Replayed[]) => void = () => undefined,
): void {
  const named = all.map((recording) => [`${recording.version} ${recording.name}`, recording] as const);
  describe.each(named)('the recording %s', (_name, recording) => {
    const played = recording.processes.map(replay);

    test('the machine says what it said when it was recorded', () => {
      const ended = played.flatMap(({ records }) =>
        records.flatMap((item) => (item.type === 'compaction_ended' ? [[item.origin, item.outcome]] : [])),
      );
      // Several processes may have been recorded at once, so their ends are compared without their order among each other.
      if (played.length === 1) expect(ended).toEqual(recording.outcomes);
      else expect(ended.map(String).sort()).toEqual(recording.outcomes.map(String).sort());
      const settled = played.flatMap(({ settlements }) => settlements.filter(({ status }) => status !== 'rejected'));
      expect(settled).toHaveLength(ended.filter(([origin]) => origin === 'manual').length);
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
      expect(/\/tmp\/|\/root|dummy-key|127\.0\.0\.1:\d/.exec(JSON.stringify(recording))?.[0]).toBeUndefined();
    });

    more(recording, played);
  });

  test('there is a recording of every live test on a real CLI, for every tested version', () => {
    const versions = Map.groupBy(all, (recording) => recording.version);
    const [first, ...others] = [...versions.values()].map((list) => list.map((recording) => recording.name));
    expect(others.length).toBeGreaterThan(0);
    expect(first?.length).toBeGreaterThan(30);
    for (const names of others) expect(names).toEqual(first);
  });
}
