import { createClaudeRuntime } from '@native-compaction/claude';
import type { Session, SessionRecord } from '@native-compaction/core';
import type { Contest, Contestant } from './contestant.ts';

/** One opens all sessions, as a host has it. */
let runtime: ReturnType<typeof createClaudeRuntime> | undefined;

/** Ours with everything on: framing, machine, redaction, records, log, and one listener that gets every record. */
export const contestant: Contestant = {
  framing: 'lines',
  async open(vendor) {
    runtime ??= createClaudeRuntime({ executable: vendor.executable });
    const session = await runtime.open({ deltas: true });
    return {
      ...contestOf(session),
      async flood() {
        let records = 0;
        const { promise, resolve } = Promise.withResolvers<void>();
        session.on('record', (record) => {
          if (isShown(record)) records += 1;
          if (record.type === 'turn_ended') resolve();
        });
        session.send('go');
        await promise;
        return records;
      },
    };
  },
};

/** What both of our contestants share: an abort is one control request and its answer. */
export function contestOf(session: Session): Pick<Contest, 'hold' | 'roundTrip' | 'close'> {
  return {
    async hold() {
      session.send('hold');
    },
    roundTrip: () => session.abort(),
    close: () => session.dispose(),
  };
}

const shown: ReadonlySet<string> = new Set(['assistant_delta', 'assistant_text', 'tool_result']);
/** Records that carry what a frame of the traffic said. */
export const isShown = (record: SessionRecord) => shown.has(record.type);
