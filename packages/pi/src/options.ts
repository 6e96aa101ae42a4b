import { type ManualCompaction, openOptionsShape, type PromptChange } from '@native-compaction/core';
import { z } from 'zod';

/** The Pi versions the promises were shown on, against the real package (Linux x64). */
export const testedVersions = ['1.4.0', '1.5.0', '1.6.0'] as const;

/** What Pi promises about a compaction asked for by hand, over RPC and in process. */
export const piManualCompaction: ManualCompaction = {
  instructions: 'per-request',
  promptChange: { system: 'at-resume', append: 'at-resume' },
  cancellation: 'native',
  anchorRoute: 'none',
  testedVersions,
};

/** The shape of a Pi session id; what looks like a path or a flag is none. */
const sessionId = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/, 'must be a Pi session id');

/** A safeguard that would never be asked is refused, not passed over. */
const noPermissions = z.undefined({
  error: 'Pi asks for none, so every tool runs. Leave it out, and give Pi only the tools you mean',
});

export const openSchema = z.strictObject({
  ...openOptionsShape,
  resume: sessionId.optional(),
  permissions: noPermissions.optional(),
});

function isTested(version: string | undefined): boolean {
  return version !== undefined && (testedVersions as readonly string[]).includes(version);
}

/**
 * Both parts change at resume, and a compaction is not needed for it. But to a model that takes system messages within the
 * conversation Pi sends the old prompt, and behind it what changed, until a compaction after that (1.4.0 to 1.6.0).
 */
export function promptChangeOf(version: string | undefined, isTouched: boolean, isPatched: boolean): PromptChange {
  const isKnown = isTested(version) && !isTouched && !isPatched;
  return isKnown ? piManualCompaction.promptChange : { system: 'unknown', append: 'unknown' };
}
