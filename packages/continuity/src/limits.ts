import { NativeCompactionError, parseOptions } from '@native-compaction/core';
import { z } from 'zod';
import type { Estimate } from './quote.ts';

/** A number of tokens, requests or characters. Not a number, a fraction or less than none limits nothing, so it is refused. */
export const count = z.number().int().nonnegative();
/** A part of a whole. */
export const ratio = z.number().positive().max(1);
export const estimate = z.custom<Estimate>((value) => typeof value === 'function', 'must be a function that counts tokens');

/** Checks numbers that a caller hands in; throws `invalid_options` that names the call and the field. */
export function checkLimits(shape: z.ZodRawShape, value: unknown, where: string): void {
  parseOptions(z.looseObject(shape), value, where);
}

/** The host's tokenizer, held to its word: what is no number of tokens would let everything through. */
export function soundEstimate(given: Estimate, where: string): Estimate {
  return (text) => {
    const tokens: unknown = given(text);
    if (typeof tokens === 'number' && tokens >= 0 && Number.isFinite(tokens)) return tokens;
    const got = typeof tokens === 'number' ? String(tokens) : typeof tokens;
    throw new NativeCompactionError('invalid_options', `${where}: estimate() must give a number of tokens, and gave ${got}.`);
  };
}
