import { stripVTControlCharacters } from 'node:util';
import cliTruncate from 'cli-truncate';
import { Help } from 'commander';

/** Control characters of terminals, those that turn the direction of writing, and what cannot be seen but for the choice of a sign's look. */
const controls = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Native text as one line that a terminal only shows. */
export function toPlain(text: string): string {
  return stripVTControlCharacters(text.replace(strings, ''))
    .replace(/[\s\u0085]+/g, ' ')
    .replace(controls, '')
    .trim();
}

/** The same characters as escapes that can be seen; line ends and tabs stay. */
export function toVisible(text: string): string {
  return text.replace(controls, (character) => (character === '\n' || character === '\t' ? character : toEscape(character)));
}

/** As JSON writes it: an escape for each unit of a character. */
function toEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const [ESCAPE, BELL, STRING_END] = ['\u001b', '\u0007', '\u009c'];
/** OSC, DCS and kin carry text of their own, to their end or to the end of everything. */
const strings = new RegExp(
  `(?:${ESCAPE}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^]*?(?:${BELL}|${ESCAPE}\\\\|${STRING_END}|$)`,
  'g',
);

/** The line cut to a terminal's width; whole where there is no terminal. */
export function toWidth(line: string, columns: number | undefined): string {
  return columns === undefined ? line : cliTruncate(line, Math.max(columns, 10));
}

const help = Object.assign(new Help(), { minWidthToWrap: 1 });

/** The line broken at words to a terminal's width, all but the first behind `indent`; a word that is longer stays whole, and so is copied. */
export function toWrapped(line: string, columns: number | undefined, indent = ''): string[] {
  if (columns === undefined) return [line];
  const [first = '', ...rest] = help.boxWrap(line, columns).split('\n');
  if (rest.length === 0) return [first];
  return [first, ...toWrapped(line.slice(first.length).trimStart(), columns - indent.length).map((part) => `${indent}${part}`)];
}

/** Columns that are as wide as their widest cell, the last as it is. */
export function toTable(rows: readonly (readonly string[])[], columns: number | undefined): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    toWidth(row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  '), columns),
  );
}

const LABEL_WIDTH = 15;

/** A fact in a line of its own, under its label. */
export function toFactLine(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${value}`;
}

/** The same, broken at words to a terminal's width. */
export function toFactLines(label: string, value: string, columns: number | undefined): string[] {
  return toWrapped(toFactLine(label, value), columns, ' '.repeat(LABEL_WIDTH + 2));
}
