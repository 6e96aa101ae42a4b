import { expect, test } from 'vitest';
import { z } from 'zod';
import { openOptionsShape } from '../src/open-options.ts';
import { parseOptions } from '../src/parse-options.ts';

const schema = z.strictObject(openOptionsShape).optional();

test.each([
  [{ sytem: 1 }, /Unrecognized key: "sytem" \(known here: cwd, resume, checkpoint, prompt, /],
  [{ prompt: { base: 'x' } }, /prompt: Unrecognized key: "base" \(known here: system, append\)/],
  [{ cwd: '' }, /cwd: must not be empty/],
  [{ prompt: { append: 'cut \ud83d' } }, /prompt\.append: must be well-formed Unicode/],
  [{ deltas: 'yes' }, /deltas: /],
  ['text', /options: /],
])('%j is told with what may stand there', (value, message) => {
  expect(() => parseOptions(schema, value, 'open()')).toThrow(message);
});
