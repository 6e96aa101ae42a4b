import { createClaudeRuntime } from '@native-compaction/claude';
import type { Contestant } from './contestant.ts';
import { contestOf, isShown } from './ours.ts';

/** The same, read by `for await` over `records()` and not by a listener. */
export const contestant: Contestant = {
  framing: 'lines',
  async open(vendor) {
    const session = await createClaudeRuntime({ executable: vendor.executable }).open({ deltas: true });
    return {
      ...contestOf(session),
      async flood() {
        session.send('go');
        let records = 0;
        for await (const record of session.records()) {
          if (isShown(record)) records += 1;
          if (record.type === 'gap') throw new Error(`A gap of ${record.to - record.from + 1} records.`);
          if (record.type === 'turn_ended') break;
        }
        return records;
      },
    };
  },
};
