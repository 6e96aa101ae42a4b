import { createInterface } from 'node:readline';
import { readingLines } from './raw.ts';

/** `node:readline`, by its line event. */
export const contestant = readingLines(
  (stdout, onLine) => void createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine),
);
