import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';
import { execa } from 'execa';

/** Opens report pages in headless Chromium, light and dark: nothing of the agent's may run or reach the network, and the style must hold. */
const chromium = process.env.CHROMIUM ?? 'chromium';
const [out = '.', given] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'native-compaction-pages-'));
const grounds = { light: 'ffffff', dark: '14171b' } as const;

let requests = 0;
const server = createServer((_request, response) => {
  requests += 1;
  response.end();
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;

try {
  const evidence = given ?? hostile();
  const page = join(folder, 'page.html');
  const cli = [
    '--conditions=@native-compaction/source',
    '--disable-warning=ExperimentalWarning',
    'packages/cli/bin/native-compaction.mjs',
  ];
  await execa(process.execPath, [...cli, 'report', evidence, '--html', page]);
  for (const scheme of ['light', 'dark'] as const) await check(page, scheme);
  if (requests > 0) throw new Error(`${requests} requests left the page.`);
  console.log('pages: nothing ran, nothing was asked of the network, and the style held in light and dark');
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function check(page: string, scheme: keyof typeof grounds): Promise<void> {
  const shot = resolve(out, `page-${scheme}.png`);
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--hide-scrollbars',
    `--user-data-dir=${join(folder, scheme)}`,
    `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
    '--window-size=1200,1000',
  ];
  const run = (...more: string[]) => execa(chromium, [...flags, ...more, `file://${page}`], { timeout: 60_000 });
  const { stdout } = await run('--dump-dom');
  if (/<script|owned<\/title>|<img/i.test(stdout))
    throw new Error(`Something of the agent's became part of the page (${scheme}).`);
  await run(`--screenshot=${shot}`);
  const ground = firstPixel(readFileSync(shot));
  if (ground !== grounds[scheme])
    throw new Error(`The ground is #${ground} in ${scheme}, not #${grounds[scheme]}: the style did not hold.`);
  console.log(`${scheme}: ${shot}`);
}

/** Its first pixel has no neighbours, so that every filter leaves it as it is. */
function firstPixel(png: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return inflateSync(Buffer.concat(parts)).toString('hex', 1, 4);
}

/** An evidence file in which an agent's tool tries everything. */
function hostile(): string {
  const attack = `</pre><script>document.title='owned';fetch('${url}')</script><img src="${url}x" onerror="document.title='owned'"><style>@import '${url}y'</style>\u001b]0;owned\u0007\u202e`;
  const lines = [
    { t: 0, pid: 1, dir: 'out', frame: { type: 'user', message: { content: `/compact ${attack}` } } },
    { t: 40, pid: 1, dir: 'in', frame: { type: attack, message: { content: [{ type: 'tool_result', content: attack }] } } },
    { t: 60, dir: 'record', record: { type: 'tool_result', text: attack, tool: attack } },
  ];
  const file = join(folder, 'evidence.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}
