import { toVisible } from './render/plain.ts';

/** A line of what was asked for. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line about it: progress, warnings and errors. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The value is the same; what a terminal would act upon, or could not show, stands in it as escapes. */
export function printJson(value: unknown): void {
  print(toVisible(JSON.stringify(value, null, 2)));
}
