import { z } from 'zod';
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
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${explain(issue, schema)}`);
  throw new NativeCompactionError('invalid_options', `${where}: ${issues.join('; ')}`);
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'too_small' && issue.origin === 'string') return 'must not be empty';
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const known = knownKeys(schema, issue.path);
  return known.length === 0 ? issue.message : `${issue.message} (known here: ${known.join(', ')})`;
}

/** The names that the object at this path of a schema may have. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const step of [undefined, ...path]) {
    if (step !== undefined) at = at instanceof z.ZodObject ? at.shape[step as string] : undefined;
    while (at instanceof z.ZodOptional) at = at.unwrap();
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}
