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

test('T9 a process that is closed says what it still has to say, though its reader is held', async () => {
  const wire = await connectJsonLines({
    executable: process.execPath,
    args: [
      '-e',
      `process.stdin.resume().on('end', () => process.stdout.write('{"a":1}\\n'.repeat(100_000) + '{"last":true}\\n'))`,
    ],
    cwd: process.cwd(),
    env: { PATH: process.env.PATH ?? '' },
    redactor: createRedactor(),
  });
  const seen: unknown[] = [];
  const ended = new Promise<unknown>((resolve) => {
    wire.start({
      frame(frame) {
        seen.push(frame);
        wire.pause();
      },
      end: (_why, exit) => resolve([exit?.code, exit?.signal]),
    });
  });
  wire.pause();
  await wire.close(20_000);
  expect(await ended).toEqual([0, null]);
  expect([seen.length, seen.at(-1)]).toEqual([100_001, { last: true }]);
});
