import { closeSync, openSync, readSync } from 'node:fs';
import { MAX_TIMEOUT_MS } from '@native-compaction/core';
import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `90s`, `10m` or `1h`. */
export function parseDuration(value: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value) ?? [];
  const durationMs = Math.round(Number(amount) * (units[unit] ?? Number.NaN));
  if (Number.isNaN(durationMs)) throw new InvalidArgumentError('Give a number with its unit: 500ms, 90s, 10m or 1h.');
  if (durationMs === 0) throw new InvalidArgumentError('Give more than nothing: no agent answers at once.');
  if (durationMs > MAX_TIMEOUT_MS) throw new InvalidArgumentError('It is longer than a timer can be: 596h at most.');
  return durationMs;
}

/** The value as it is, where there is one. */
export function parseGiven(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

/** The text itself, or what is in the file that `@file` names. */
export function parseText(value: string): string {
  return parseGiven(value.startsWith('@') ? readText(value.slice(1)) : value);
}

/** More than any model reads, and an end to a file that has none. */
const MAX_TEXT_BYTES = 16 * 1_048_576;

function readText(path: string): string {
  const content = readBounded(path);
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // told below
  }
  throw new InvalidArgumentError('The file is no text (UTF-8).');
}

function readBounded(path: string): Buffer {
  const chunks: Buffer[] = [];
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    for (let size = 0; size <= MAX_TEXT_BYTES; ) {
      const chunk = Buffer.alloc(65_536);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, read));
      size += read;
    }
  } catch (error) {
    throw new InvalidArgumentError(`The file cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  throw new InvalidArgumentError('The file is longer than 16 MB.');
}

export function parseCount(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Give a whole number, 1 or more.');
  return Number(value);
}
