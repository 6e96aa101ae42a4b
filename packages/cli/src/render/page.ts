import { createHash } from 'node:crypto';
import { html, Markup } from './html.ts';
import { pageStyle } from './page-style.ts';

/** How much of one frame a page shows. */
const MAX_CHARACTERS = 20_000;

/** A whole page that needs nothing else and runs nothing: its policy allows this one style and no script and no network. */
export function toPage(title: string, body: Markup): string {
  const style = createHash('sha256').update(pageStyle).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
${body}
</body>
</html>
`.source;
}

/** A native value as text, cut where it is long. */
export function toJsonBlock(value: unknown): Markup {
  const text = toJson(value);
  const more = text.length - MAX_CHARACTERS;
  return html`<pre>${text.slice(0, MAX_CHARACTERS)}${more > 0 ? `\n… ${more} characters more in the file` : ''}</pre>`;
}

/** A file that is made by hand may nest deeper than can be walked. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deep to be shown)';
    throw error;
  }
}

/** Label and value pairs. */
export function toFacts(lines: readonly (readonly [string, string])[]): Markup {
  return html`<dl>${lines.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}
