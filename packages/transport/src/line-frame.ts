import type { JsonObject, Unparsed } from './json-lines.ts';

/**
 * A native message whose meaning was read off its line by a template: 0.3 µs for a delta in the place of 1.1. The message itself is parsed
 * when somebody asks for it.
 */
export class LineFrame<Fact> {
  readonly fact: Fact;
  readonly line: string;

  constructor(fact: Fact, line: string) {
    this.fact = fact;
    this.line = line;
  }

  /** What parsing the line would have given at once. */
  get native(): JsonObject {
    return JSON.parse(this.line) as JsonObject;
  }
}

/**
 * Reads what a line means without parsing it; `undefined` for every line that has not exactly the one shape it knows, which is then
 * parsed. Both ways must mean the same: a property test of each template holds them together.
 */
export type Template<Fact> = (line: string) => Fact | undefined;

/** What a reader of lines hands out: with a template, also frames that were not parsed. */
export type LineIn<Fact = never> = JsonObject | Unparsed | ([Fact] extends [never] ? never : LineFrame<Fact>);

/** The native message of a frame, however it was read. */
export function toNative<T>(frame: T): Exclude<T, LineFrame<unknown>> | JsonObject {
  return frame instanceof LineFrame ? frame.native : (frame as Exclude<T, LineFrame<unknown>>);
}

/** What stands between the quotes of a JSON string, as a pattern: a template that matches it needs no further check. */
export const JSON_STRING = String.raw`[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*`;

/** The text of a `JSON_STRING`. */
export function unescaped(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
