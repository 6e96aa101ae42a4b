import { runSoak } from '@native-compaction/conformance';
import { expect, test } from 'vitest';
import { claudeSubject } from '../support/subjects/claude.ts';
import { codexSubject } from '../support/subjects/codex.ts';
import { piRpcSubject, piSdkSubject } from '../support/subjects/pi.ts';
import { versionsOf } from '../support/vendors.ts';

/** `SOAK=500` makes it that many compactions; without it the soak is a short one. */
const asked = Number(process.env.SOAK ?? 0);
const seed = Number(process.env.SEED ?? 1);
/** Pi in process changes this process's own environment while it is open, so there is one of it. */
const subjects = [
  ...versionsOf('claude').map(claudeSubject),
  ...versionsOf('codex').map(codexSubject),
  ...versionsOf('pi').map(piRpcSubject),
  ...versionsOf('pi').slice(0, 1).map(piSdkSubject),
];

test('R1 R5 R6 R8 S2 S5 E1 many compactions under random trouble: nothing false, nothing lost, nothing left', {
  timeout: 3_600_000,
}, async () => {
  const report = await runSoak(subjects, {
    seed,
    ...(asked > 0 ? { compactions: asked } : { compactions: 1_000, durationMs: 12_000 }),
  });
  console.log(JSON.stringify(report));
  expect(report.falsehoods).toEqual([]);
  expect(report.compactions).toBeGreaterThanOrEqual(asked || 10);
  // Only the last one of each session can be without an end: it was disposed on purpose.
  const { unconfirmed = 0, undelivered = 0 } = report.inputs;
  expect(unconfirmed + undelivered).toBeLessThanOrEqual(report.sessions);
  expect(report.processesLeft).toBe(0);
  expect(report.growth.descriptors).toBeLessThanOrEqual(0);
  expect(report.growth.listeners).toBeLessThanOrEqual(0);
  expect(report.growth.resources).toBeLessThanOrEqual(2);
  expect(report.growth.heapBytes).toBeLessThan(16_777_216);
});
