import { createRedactor } from '@native-compaction/core';
import { expect, test } from 'vitest';
import { connectJsonLines } from '../src/json-lines-wire.ts';

test.each([
  ['a frame is the last line', '{"a":1}\n{"b":2}\n', ['frame, more', 'frame', 'end']],
  ['a blank line is the last one', '{"a":1}\n\n', ['frame, more', 'read', 'end']],
])('what was read is told to the end where %s', async (_what, output, expected) => {
  const wire = await connectJsonLines({
    executable: process.execPath,
    args: ['-e', `process.stdout.write(${JSON.stringify(output)})`],
    cwd: process.cwd(),
    env: { PATH: process.env.PATH ?? '' },
    redactor: createRedactor(),
  });
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    wire.start({
      frame: () => void seen.push(wire.hasUnread?.() ? 'frame, more' : 'frame'),
      read: () => void seen.push('read'),
      end() {
        seen.push('end');
        resolve();
      },
    });
  });
  await wire.close(1_000);
  expect(seen).toEqual(expected);
});
