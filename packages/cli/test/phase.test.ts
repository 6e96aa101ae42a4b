import type { RecordDraft, SessionRecord } from '@native-compaction/core';
import { expect, test } from 'vitest';
import { nextPhase, opening, toStatusLine } from '../src/render/phase.ts';

const own = { origin: 'manual', requestId: 'r' } as const;
const steps: readonly (readonly [RecordDraft, string])[] = [
  [{ type: 'idle' }, 'opening the session · 1 s'],
  [{ type: 'compaction_requested', requestId: 'r' }, 'asking whether it may start · 1 s'],
  [{ type: 'compaction_dispatched', requestId: 'r', nativeKeys: {} }, 'sent, waiting for the native start · 1 s'],
  [{ type: 'compaction_started', ...own }, 'compacting · 1 s'],
  [{ type: 'compaction_progress', ...own, detail: 'heartbeat' }, 'compacting · 1 s · 1 sign of life'],
  [{ type: 'compaction_progress', ...own, detail: 'retry' }, 'compacting, the provider is asked again · 1 s · 2 signs of life'],
  [
    { type: 'compaction_progress', ...own, detail: 'boundary' },
    'history replaced, waiting for the native end · 1 s · 3 signs of life',
  ],
  [{ type: 'idle' }, 'history replaced, waiting for the native end · 1 s · 3 signs of life'],
];

test('the status line follows the records: phase, time and signs of life', () => {
  let phase = opening;
  for (const [draft, line] of steps) {
    phase = nextPhase(phase, { log: 'l', seq: 1, atMs: 1, ...draft } as SessionRecord);
    expect(toStatusLine('Claude Code', phase, 1_400)).toBe(`Claude Code: ${line}`);
  }
  expect(toStatusLine('Pi', opening, 184_000)).toBe('Pi: opening the session · 3 min 04 s');
  const foreign = nextPhase(opening, { log: 'l', seq: 1, atMs: 1, type: 'compaction_started', origin: 'automatic' });
  expect(toStatusLine('Pi', foreign, 0)).toBe('Pi: another compaction runs (automatic) · 0 ms');
});
