import { NativeCompactionError } from '@native-compaction/core';
import { z } from 'zod';
import type { CanonicalError } from './canonical.ts';
import { isVisibleUser, type TranscriptMessage } from './messages.ts';
import { projectCompleted, projectResumable } from './projection.ts';
import { authorises, authorisesNormalisation, type RewriteProof, startsWith } from './rewrite-proof.ts';
import { hasCalls } from './tool-groups.ts';

const message = z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'tool']) });

/** What a store takes: the packs of messages that come after what it has, or in place of it. */
export const commitDeltaSchema = z.strictObject({
  version: z.literal(1),
  mode: z.enum(['append', 'replace']),
  /** Counts rewrites: set by the proof of a replace. */
  generation: z.number().int().nonnegative().exactOptional(),
  packs: z.array(z.array(message).min(1)),
});
export type CommitDelta = z.infer<typeof commitDeltaSchema>;

export interface CommitRequest {
  /** The messages of the last commit, and whether there was one. */
  readonly prior: readonly TranscriptMessage[];
  readonly hadHead: boolean;
  readonly messages: readonly TranscriptMessage[];
  readonly proof?: RewriteProof | undefined;
  /** True while the turn may go on. */
  readonly isResumable: boolean;
}

export type CommitResult =
  /** Without a delta there is nothing to store, and nothing is wrong. */
  { readonly ok: true; readonly delta?: CommitDelta } | { readonly ok: false; readonly error: CanonicalError };

/** The size of one pack, in bytes of JSON; one group of calls and results is never split. */
const PACK_BYTES = 512 * 1024;

/**
 * What is to be stored. What was committed is replaced only under a proof that fits, so that a prefix that merely changed is an
 * error and no message of it is lost.
 */
export function commitDelta({ prior, hadHead, messages, proof, isResumable }: CommitRequest): CommitResult {
  const isReplace = hadHead && proof !== undefined && (authorises(proof, messages) || isNormalised());
  if (!isReplace && !startsWith(messages, prior)) return { ok: false, error: { code: 'prefix_mutated' } };
  const changed = isReplace ? messages : messages.slice(prior.length);
  const project = isResumable ? projectResumable : projectCompleted;
  const projected = project(changed, { hasPriorUser: !isReplace && prior.some(isVisibleUser) });
  if (!projected.ok) return projected;
  if (projected.messages.length === 0) return isResumable ? { ok: true } : { ok: false, error: { code: 'nothing_committable' } };
  const packs = toPacks(projected.messages) as CommitDelta['packs'];
  return {
    ok: true,
    delta: isReplace
      ? { version: 1, mode: 'replace', generation: proof.generation, packs }
      : { version: 1, mode: 'append', packs },
  };

  function isNormalised(): boolean {
    if (isResumable || !proof || !prior.some((item) => item.role === 'tool' || hasCalls(item))) return false;
    return authorisesNormalisation(proof, prior, messages);
  }
}

/** What a store holds after a delta, which may come from JSON. Throws `corrupt_checkpoint`. */
export function applyDelta(stored: readonly TranscriptMessage[], delta: unknown): readonly TranscriptMessage[] {
  const parsed = commitDeltaSchema.safeParse(delta);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join('.') || 'the whole value';
    throw new NativeCompactionError('corrupt_checkpoint', `The commit cannot be read (${at}). Keep what is stored.`);
  }
  const messages = parsed.data.packs.flat() as TranscriptMessage[];
  return parsed.data.mode === 'replace' ? messages : [...stored, ...messages];
}

function toPacks(messages: readonly TranscriptMessage[]): TranscriptMessage[][] {
  const packs: TranscriptMessage[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const item of messages) {
    const bytes = Buffer.byteLength(JSON.stringify(item));
    const mayBegin = item.role !== 'tool';
    if (size === Number.POSITIVE_INFINITY || (mayBegin && size + bytes > PACK_BYTES)) {
      packs.push([]);
      size = 0;
    }
    packs.at(-1)?.push(item);
    size += bytes;
  }
  return packs;
}
