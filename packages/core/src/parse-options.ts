import type { z } from 'zod';
import { NativeCompactionError } from './errors.ts';

/** Parses options or throws `invalid_options` that names each wrong field; a getter that throws is a wrong field too. */
export function parseOptions<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  let parsed: z.ZodSafeParseResult<T>;
  try {
    parsed = schema.safeParse(value);
  } catch (cause) {
    throw new NativeCompactionError('invalid_options', `${where}: the options cannot be read.`, { cause });
  }
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
  throw new NativeCompactionError('invalid_options', `${where}: ${issues.join('; ')}`);
}
