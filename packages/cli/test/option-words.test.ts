import { expect, test } from 'vitest';
import { toOptionWords } from '../src/option-words.ts';

test.each([
  [
    'open(): resume: must be a Pi session id; model: must not be empty',
    '--resume: must be a Pi session id; --model: must not be empty',
  ],
  ['open(): prompt.system: must be x; prompt.append: must be y', '--system-prompt: must be x; --append-system-prompt: must be y'],
  [
    'Cannot start "x" (ENOENT). Install the vendor\'s CLI, or set the executable option.',
    'Cannot start "x" (ENOENT). Install the vendor\'s CLI, or name it with --executable PATH.',
  ],
  ['It ended. Raise readTimeoutMs, or try it by hand.', 'It ended. Try it by hand.'],
  ['cwd is not a folder: /gone', 'The folder to work in (--cwd) is none: /gone'],
  [
    'Check that this session exists for this account, home and folder (cwd)',
    'Check that this session exists for this account, home and folder (--cwd)',
  ],
])('an error of the library is told in the words of the command line: %s', (message, told) =>
  expect(toOptionWords(message)).toBe(told),
);
