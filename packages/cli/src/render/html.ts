import { toVisible } from './plain.ts';

/** Markup that is safe to stand in a page. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Value = string | number | Markup | readonly Markup[];

/** A piece of a page: every value that is no markup itself is escaped, in text and in attributes alike. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, index) => part + toSource(values[index] ?? '')).join(''));
}

function toSource(value: Value): string {
  if (value instanceof Markup) return value.source;
  if (typeof value === 'object') return value.map(({ source }) => source).join('');
  return escapeText(String(value));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeText(text: string): string {
  return toVisible(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
