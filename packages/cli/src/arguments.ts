import { readFileSync } from 'node:fs';
import { MAX_TIMEOUT_MS } from '@native-compaction/core';
import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `90s`, `10m` or `1h`. */
export function parseDuration(value: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value) ?? [];
  const durationMs = Math.round(Number(amount) * (units[unit] ?? Number.NaN));
  if (Number.isNaN(durationMs)) throw new InvalidArgumentError('Give a number with its unit: 500ms, 90s, 10m or 1h.');
  if (durationMs > MAX_TIMEOUT_MS) throw new InvalidArgumentError('It is longer than a timer can be: 596h at most.');
  return durationMs;
}

/** The text itself, or what is in the file that `@file` names. */
export function parseText(value: string): string {
  const content = value.startsWith('@') ? readText(value.slice(1)) : value;
  if (content === '') throw new InvalidArgumentError('It is empty.');
  return content;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`The file cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

export function parseCount(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Give a whole number, 1 or more.');
  return Number(value);
}
