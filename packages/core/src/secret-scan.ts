import { scannerCode } from './secret-scan-wasm.ts';

/** What may stand at each of up to four places, in either case; several marks may share a group. */
type Mark = readonly string[];
const wordCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789_.-=';
/** What every secret of a known shape holds somewhere: a beginning, an end or a middle that is rare in ordinary text. */
const groups: readonly (readonly Mark[])[] = [
  [['a', 'ks', 'i', 'a'], ['a', 'i', 'z', 'a'], ['b', 'e', 'a', 'r'], ['b', 'a', 's', 'i']],
  [['o', 'r', 'i', 'z'], ['c', 'o', 'o', 'k']],
  [['e', 'y', 'j'], ['x', 'o', 'x']],
  [['p', 'i', 'k', 'e'], ['2', '9', '.']],
  [['-_', 'bcpkst', 'aeor', 'cegksy']],
  [['alpsxy', 'ikptx', '-'], ['s', 'g', '.']],
  [['afghmnprs8', 'fhkmoprstu8', '_'], ['r', '8', '_']],
  [['?&;', wordCharacters]],
]; // biome-ignore format: a group a line

/** The text lies behind the tables, a room at a time; a mark that goes on into the next room is found there. */
const TEXT_AT = 128;
const ROOM_BYTES = 65_536;
const OVERLAP = 3;

/** The part of WebAssembly that is used; the types of Node 22 do not name it. */
interface Assembly {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}
const { WebAssembly: assembly } = globalThis as { WebAssembly?: Assembly };

interface Scanner {
  readonly bytes: Buffer;
  scan(at: number, end: number): number;
}

let scanner: Scanner | undefined;

/**
 * Calls `isIt` with each place where a mark may begin, until it says yes. All marks are looked for in one pass of vector instructions:
 * 0.5 ns a character, where an expression takes 1.5 for prose and 5 for source code. Undefined where WebAssembly is switched off.
 */
export function somewhere(text: string, isIt: (at: number) => boolean): boolean | undefined {
  if (assembly === undefined) return undefined;
  scanner ??= openScanner(assembly);
  for (let from = 0; ; from += ROOM_BYTES - OVERLAP) {
    const room = text.length <= ROOM_BYTES ? text : text.slice(from, from + ROOM_BYTES);
    // One byte a character: of others the low one, which can only find too much.
    const end = TEXT_AT + scanner.bytes.write(room, TEXT_AT, 'latin1');
    for (let at = scanner.scan(TEXT_AT, end); at >= 0 && at < end; at = scanner.scan(at + 1, end))
      if (isIt(from + at - TEXT_AT)) return true;
    if (from + ROOM_BYTES >= text.length) return false;
  }
}

function openScanner({ Module, Instance }: Assembly): Scanner {
  const code = new Module(Buffer.from(scannerCode, 'base64'));
  const { memory, scan } = new Instance(code).exports as { memory: { buffer: ArrayBuffer }; scan: Scanner['scan'] };
  const bytes = Buffer.from(memory.buffer);
  for (const [group, marks] of groups.entries())
    for (const mark of marks) for (let place = 0; place < 4; place += 1) add(bytes, group, place, mark[place]);
  return { bytes, scan };
}

/** Lets a place of a group be any of these characters, or any at all. */
function add(tables: Buffer, group: number, place: number, characters: string | undefined): void {
  const all =
    characters === undefined
      ? Array.from({ length: 256 }, (_none, code) => code)
      : [...`${characters}${characters.toUpperCase()}`].map((one) => one.charCodeAt(0));
  for (const code of all) {
    for (const at of [place * 32 + (code & 15), place * 32 + 16 + (code >> 4)]) tables[at] = (tables[at] ?? 0) | (1 << group);
  }
}
