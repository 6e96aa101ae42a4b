import type { CompactionResult } from '@native-compaction/core';
import type { PromptEffects } from '@native-compaction/restore';
import { adviceOn, type Known } from './advice.ts';
import { toDuration } from './duration.ts';
import { toFactLines, toPlain } from './plain.ts';

const effects = {
  'in-effect': 'what was given here, or left out, is in effect with the next request',
  'at-next-compaction': 'what was given here is not in effect: the old one stays until a compaction completes',
  unknown: 'not known whether what was given here is in effect',
} as const;

/** What the agent's own files say once its process is gone. */
const found = {
  compacted: "the agent's own files say that history was replaced",
  unchanged: "the agent's own files say that history was not replaced, and will not be",
  unknown: "the agent's own files do not say what became of it",
} as const;

/** What is known beside a result. */
export interface Beside extends Known {
  /** What is in effect of the prompt that was given, if one was. */
  readonly prompt?: PromptEffects | undefined;
}

/** A result as a person reads it, a line each, broken at words where a terminal is narrow. */
export function toResultLines(result: CompactionResult, beside: Beside = {}, columns?: number): string[] {
  const facts = toFactPairs(result, beside).flatMap(([label, value]) => toFactLines(label, toPlain(value), columns));
  return [toHeadline(result), ...facts];
}

/** Its status, with the reason. */
export function toHeadline(result: CompactionResult): string {
  const reason = reasonOf(result);
  return reason === undefined ? result.status : `${result.status} (${reason})`;
}

/** What is known of a result, as labels and values. */
export function toFactPairs(result: CompactionResult, beside: Beside = {}): (readonly [string, string])[] {
  const { prompt, afterwards } = beside;
  const { context, runtime, vendorVersion = '', evidence, dispatchedAtMs, settledAtMs } = result;
  const took = dispatchedAtMs !== undefined && settledAtMs !== undefined ? settledAtMs - dispatchedAtMs : undefined;
  const proof = evidence.map(({ frame, kind }) => `${kind} (frame ${frame})`).join(', ');
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['runtime', `${runtime} ${vendorVersion}`.trim()],
    ['context', context],
    ['took', took === undefined ? undefined : toDuration(took)],
    ['tokens', tokensOf(result)],
    ['agent said', 'message' in result ? result.message : undefined],
    [result.status === 'unconfirmed' ? 'seen so far' : 'proof', proof === '' ? 'none' : proof],
    ['system prompt', prompt && effects[prompt.system]],
    ['appended', prompt && effects[prompt.append]],
    ['afterwards', afterwards && found[afterwards]],
    ['next', adviceOn(result, beside)],
  ];
  return pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined && pair[1] !== '');
}

function reasonOf(result: CompactionResult): string | undefined {
  if (result.status === 'aborted') return `by ${result.by === 'caller' ? 'you' : 'the agent'}`;
  return 'reason' in result ? result.reason : undefined;
}

function tokensOf(result: CompactionResult): string | undefined {
  if (result.status !== 'completed' || result.tokens === undefined) return undefined;
  const { before = '?', after = '?', estimated } = result.tokens;
  return `${before} → ${after} (the agent's figures${estimated ? ', estimated' : ''})`;
}
