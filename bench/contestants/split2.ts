import type { Transform } from 'node:stream';
import { loadPeer } from './contestant.ts';
import { readingLines } from './raw.ts';

const { default: split } = await loadPeer<{ default: () => Transform }>('split2');

/** split2 in the pipe. */
export const contestant = readingLines((stdout, onLine) => void stdout.pipe(split()).on('data', onLine));
