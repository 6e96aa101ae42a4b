import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompactionResult, Session, SessionRecord } from '@native-compaction/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEvidenceFile } from '../src/evidence-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'native-compaction-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const unknown = { system: 'unknown', append: 'unknown' } as const;

test('the result names the lines of its proof, though frames share their numbers with what is none', () => {
  const path = join(folder, 'evidence.jsonl');
  const file = createEvidenceFile(path);
  const directions = ['out', 'in', undefined, 'out', 'in', 'in'] as const;
  file.tap({ t: 0, pid: 1, dir: 'out', frame: 'a' });
  file.tap({ t: 0, pid: 1, dir: 'end', frame: {} }); // as a line between them that holds none of the session's frames
  // The second answer had arrived before the second command was written, and is looked at after it.
  file.tap({ t: 1, pid: 1, dir: 'in', frame: 'b' });
  file.tap({ t: 1, pid: 1, dir: 'in', frame: 'd' });
  file.tap({ t: 1, pid: 1, dir: 'out', frame: 'c' });
  file.tap({ t: 2, pid: 1, dir: 'in', frame: 'e' });
  const session = {
    frame: (number: number) => directions[number - 1] && { number, direction: directions[number - 1] },
  } as unknown as Session;
  const evidence = [4, 5, 6, 99].map((frame) => ({ frame, kind: 'k', ids: {} }));
  file.result(session, { status: 'unconfirmed', evidence } as unknown as CompactionResult, unknown);
  file.close();
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ dir: 'result', proof: [5, 4, 6], prompt: unknown });
  expect(lines.map(({ frame }) => frame).slice(0, 6)).toEqual(['a', {}, 'b', 'd', 'c', 'e']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('it is not written over a file or through a link', () => {
  const [target, link] = [join(folder, 'target'), join(folder, 'link')];
  writeFileSync(target, 'mine');
  symlinkSync(target, link);
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  for (const path of [target, link, join(folder, 'dangling'), join(folder, 'none/file')])
    expect(() => createEvidenceFile(path)).toThrow(expect.objectContaining({ code: 'capture_failed' }));
  expect(readFileSync(target, 'utf8')).toBe('mine');
});

test('frames and records are timed by one clock: a frame that took long to be handed over does not come behind what it brought about', () => {
  const path = join(folder, 'evidence.jsonl');
  const file = createEvidenceFile(path);
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
  try {
    const listeners: ((record: SessionRecord) => void)[] = [];
    const session = {
      checkpoint: () => ({ cursor: { log: 'l', seq: 0 } }),
      on: (_event: string, listener: (record: SessionRecord) => void) => listeners.push(listener),
    } as unknown as Session;
    // Time passed between its timing and its coming here, as where it is long and has to be redacted.
    file.tap({ t: 3, pid: 1, dir: 'out', frame: 'a' });
    file.follow(session);
    vi.setSystemTime(1_010);
    file.tap({ t: 6, pid: 1, dir: 'in', frame: 'b' });
    for (const listener of listeners) listener({ log: 'l', seq: 1, atMs: 1_010, type: 'idle' });
    file.close();
  } finally {
    vi.useRealTimers();
  }
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line)).map(({ t, dir }) => [t, dir])).toEqual([
    [3, 'out'],
    [13, 'in'],
    [13, 'record'],
  ]);
});

test('a file that can no longer be written is told of once, and the rest goes on', () => {
  const file = createEvidenceFile(join(folder, 'evidence.jsonl'));
  file.close(); // as with a full disk, every write fails from here on
  file.tap({ t: 0, pid: 1, dir: 'in', frame: 'a' });
  file.tap({ t: 0, pid: 1, dir: 'in', frame: 'b' });
  expect(file.failure).toBe('EBADF');
});
