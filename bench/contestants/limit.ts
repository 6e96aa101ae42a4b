import { spawn } from 'node:child_process';
import type { Contestant } from './contestant.ts';
import { readingLines, splitBuffers } from './raw.ts';

const reader = readingLines(splitBuffers);

/** The limit: a newline split on buffers and `JSON.parse`, and for control a map of what is asked. It promises nothing. */
export const contestant: Contestant = {
  ...reader,
  async open(vendor) {
    const contest = await reader.open(vendor);
    const control = spawn(vendor.executable, [], { stdio: 'pipe' });
    const pending = new Map<string, () => void>();
    let id = 0;
    splitBuffers(control.stdout, (line) => {
      const { request_id } = JSON.parse(line).response;
      pending.get(request_id)?.();
      pending.delete(request_id);
    });
    return {
      ...contest,
      roundTrip: () =>
        new Promise<void>((resolve) => {
          id += 1;
          pending.set(`r${id}`, resolve);
          const frame = { type: 'control_request', request_id: `r${id}`, request: { subtype: 'interrupt' } };
          control.stdin.write(`${JSON.stringify(frame)}\n`);
        }),
      close() {
        control.kill();
        return contest.close();
      },
    };
  },
};
