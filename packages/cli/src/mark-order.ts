import type { Mark } from './capture.ts';

/**
 * Marks in the order of time, and causes before their effects where one millisecond holds both: what a session says of a frame it
 * is about to write is said before the write, and reaches the file after it.
 */
export function inOrder(marks: readonly Mark[]): Mark[] {
  const ordered: Mark[] = [];
  for (const mark of marks.toSorted((a, b) => a.atMs - b.atMs || a.line - b.line)) {
    let place = ordered.length;
    if (mark.kind === 'record') while (isWriteAt(ordered[place - 1], mark.atMs)) place -= 1;
    ordered.splice(place, 0, mark);
  }
  return ordered;
}

function isWriteAt(mark: Mark | undefined, atMs: number): boolean {
  return mark?.kind === 'out' && mark.atMs === atMs;
}
