/** A line of what was asked for. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line about it: progress, warnings and errors. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
