import type { ModelRequest } from '@native-compaction/conformance';

export function textOf(request: ModelRequest | undefined): string {
  return request?.messages.map(({ text }) => text).join('\n') ?? '';
}

/** The lines of ours in a text, whatever the vendor put around them. */
export function linesIn(text: string, word: string) {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${word} {`))
    .map((line) => JSON.parse(line.slice(word.length + 1)) as { id: string; state?: string; kind?: string; text?: string });
}

export function linesOf(request: ModelRequest | undefined, word: string) {
  return linesIn(textOf(request), word);
}
