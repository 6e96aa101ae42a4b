import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createJsonLineReader, type JsonObject, type Unparsed } from './json-lines.ts';

/**
 * Reads a file of JSON lines without changing it, row by row, counted from 1; false where there is no such file, or something
 * else in its place, such as a pipe. A row that is no JSON object, such as a torn one at the end, is told as `Unparsed`.
 */
export async function readJsonLines(file: string, onRow: (row: JsonObject | Unparsed, number: number) => void): Promise<boolean> {
  let number = 0;
  const reader = createJsonLineReader((row) => {
    number += 1;
    onRow(row, number);
  });
  try {
    if (!(await stat(file)).isFile()) return false;
    for await (const chunk of createReadStream(file)) reader.push(chunk as Buffer);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return false;
    throw error;
  }
  reader.end();
  return true;
}
