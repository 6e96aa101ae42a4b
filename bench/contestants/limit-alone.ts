import { readingLines, splitBuffers } from './raw.ts';

/** The limit without its second child for control, so that many of it can run side by side. */
export const contestant = readingLines(splitBuffers);
