/** What the command line calls what the library calls otherwise. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^\w+\(\): /, ''],
  [/(?<=^|; )resume: /g, '--resume: '],
  [/(?<=^|; )model: /g, '--model: '],
  [/(?<=^|; )cwd: /g, '--cwd: '],
  [/^cwd is not a folder/, 'The folder to work in (--cwd) is none'],
  [/(?<=^|; )prompt\.system: /g, '--system-prompt: '],
  [/(?<=^|; )prompt\.append: /g, '--append-system-prompt: '],
  [/(?<=^|; )instructions: /g, '--instructions: '],
  [/set the executable option/, 'name it with --executable PATH'],
  [/Check that the executable is/, 'Check that what --executable names is'],
  [/folder \(cwd\)/, 'folder (--cwd)'],
  [/Raise readTimeoutMs, or try it by hand\./, 'Try it by hand.'],
];

/** An error's message in the words of the command line. */
export function toOptionWords(message: string): string {
  return names.reduce((told, [word, name]) => told.replace(word, name), message);
}
