import { createHash } from 'node:crypto';
import { checkLimits, count } from './limits.ts';
import { canonicalJson, type TranscriptMessage } from './messages.ts';

/** The hash of a list of messages, in order. */
export function rootOf(messages: readonly TranscriptMessage[], length = messages.length): string {
  checkLimits({ length: count }, { length }, 'rootOf()');
  const hash = createHash('sha256');
  for (const message of messages.slice(0, length)) hash.update(canonicalJson(message)).update('\n');
  return hash.digest('hex');
}

/** True when `messages` begin with exactly `prior`. */
export function startsWith(messages: readonly TranscriptMessage[], prior: readonly TranscriptMessage[]): boolean {
  return messages.length >= prior.length && rootOf(messages, prior.length) === rootOf(prior);
}

/** Says which list of messages may stand in place of the committed one. A value: it is made anew, never changed. */
export interface RewriteProof {
  readonly isValid: boolean;
  /** True once a rewrite was finished; the authorised prefix is then the whole rewritten list. */
  readonly isRewritten: boolean;
  /** The generation that a commit under this proof gets. */
  readonly generation: number;
  readonly count: number;
  readonly root: string;
}

/** Taken before a rewrite from the messages that are about to change. */
export interface RewritePermit {
  readonly isValid: boolean;
  readonly root: string;
}

/** A proof for a committed prefix: valid when it really is the one with that root. */
export function createRewriteProof(prefix: readonly TranscriptMessage[], baseRoot: string, generation: number): RewriteProof {
  checkLimits({ generation: count }, { generation }, 'createRewriteProof()');
  const root = rootOf(prefix);
  return { isValid: root === baseRoot, isRewritten: false, generation: generation + 1, count: prefix.length, root };
}

/** Called with the messages before they are rewritten: they must still begin with the authorised prefix. */
export function beginRewrite(proof: RewriteProof, messages: readonly TranscriptMessage[]): RewritePermit {
  const isPrefix = messages.length >= proof.count && rootOf(messages, proof.count) === proof.root;
  return { isValid: proof.isValid && isPrefix, root: proof.root };
}

/** Called with what the rewrite made. A permit that is not valid, or of another proof, makes the proof invalid for good. */
export function finishRewrite(proof: RewriteProof, permit: RewritePermit, messages: readonly TranscriptMessage[]): RewriteProof {
  if (!proof.isValid || !permit.isValid || permit.root !== proof.root) return { ...proof, isValid: false };
  return { ...proof, isRewritten: true, count: messages.length, root: rootOf(messages) };
}

/** True when a finished rewrite made exactly what `messages` begin with. */
export function authorises(proof: RewriteProof, messages: readonly TranscriptMessage[]): boolean {
  if (!proof.isValid || !proof.isRewritten || messages.length < proof.count) return false;
  return rootOf(messages, proof.count) === proof.root;
}

/** True when `prior` is the authorised prefix, not rewritten, and `messages` go on from it: its tool scratch may be dropped. */
export function authorisesNormalisation(
  proof: RewriteProof,
  prior: readonly TranscriptMessage[],
  messages: readonly TranscriptMessage[],
): boolean {
  if (!proof.isValid || proof.isRewritten) return false;
  return rootOf(prior) === proof.root && startsWith(messages, prior);
}
