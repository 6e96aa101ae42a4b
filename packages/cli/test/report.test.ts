import { describe, expect, test } from 'vitest';
import { toCapture } from '../src/capture.ts';
import { toReportPage } from '../src/render/report-page.ts';
import { toReportLines } from '../src/render/text-report.ts';

const script = '<script>alert(1)</script><img src=x onerror="alert(2)">';
const title = '\u001b]0;owned\u0007\u001b[2Jafter';
const evidence = [{ frame: 2, kind: 'dispatched', ids: { commandUuid: 'u' } }];
const result = {
  requestId: 'r',
  sessionId: 's',
  runtime: 'claude',
  vendorVersion: '2.1.332',
  status: 'failed',
  context: 'unchanged',
  reason: 'native_failed',
  message: `${script}${title}`,
  evidence,
};
const record = (t: number, more: object) => ({ t, dir: 'record', record: { log: 'l', seq: t, atMs: t, ...more } });
const frames = [
  { t: 0, pid: 1, dir: 'out', frame: { type: 'control_request', request: { subtype: 'initialize' } } },
  { t: 5, pid: 1, dir: 'out', frame: { type: 'user', message: { content: '/compact' } } },
  {
    t: 9,
    pid: 1,
    dir: 'in',
    frame: { type: 'user', message: { content: [{ type: 'tool_result', content: `${script}${title}` }] } },
  },
  { t: 12, pid: 1, dir: 'in', frame: { method: 'item/started', params: { item: { type: 'contextCompaction' } } } },
  { t: 13, pid: 1, dir: 'in', frame: { id: 4, error: { code: -1, message: 'no' } } },
];
const lines = [
  ...frames,
  record(4, { type: 'compaction_dispatched', requestId: 'r', nativeKeys: {} }),
  record(6, { type: 'input_accepted', inputId: 'i', text: `held ${script}` }),
  record(10, { type: 'tool_result', toolCallId: 'c', isError: false, text: `${script}${title}` }),
  record(20, { type: 'compaction_ended', origin: 'manual', outcome: 'failed' }),
  { t: 21, dir: 'result', result, proof: [2], prompt: { system: 'at-next-compaction', append: 'unknown' } },
];
const content = lines.map((line) => JSON.stringify(line)).join('\n');
const capture = toCapture(content);

describe('an evidence file', () => {
  test('is read in the order of time, with lanes, labels, the operation and the proof', () => {
    expect(capture.marks.map(({ lane, label, isProof }) => [lane, label.slice(0, 28), isProof])).toEqual([
      ['library', 'control_request initialize', false],
      ['library', 'compaction dispatched', false],
      ['library', 'user: /compact', true],
      ['host', 'input accepted: held <script', false],
      ['native', 'user', false],
      ['library', 'tool result: <script>alert(1', false],
      ['native', 'item/started contextCompacti', false],
      ['native', 'error', false],
      ['library', 'compaction ended manual fail', false],
      ['host', 'result failed native_failed', false],
    ]);
    expect(capture.operation).toEqual({ fromMs: 4, toMs: 21 });
    expect(capture).toMatchObject({ result, unreadable: 0, prompt: { system: 'at-next-compaction', append: 'unknown' } });
  });

  test('that was cut off, and one without a result, are shown as far as they go', () => {
    const cut = toCapture(`${content.slice(0, content.indexOf('/compact'))}`);
    expect([cut.marks.length, cut.unreadable, cut.result]).toEqual([1, 1, undefined]);
    expect(toReportLines(cut, undefined).slice(0, 2)).toEqual([
      'no result in this file: frames only',
      '1 lines could not be read',
    ]);
    expect(toReportPage(cut)).toMatch(/Frames without a result[\s\S]*1 lines of the file could not be read/);
    expect(toCapture('not\njson\n').marks).toEqual([]);
  });
});

describe('what an agent said, shown', () => {
  const page = toReportPage(capture);

  test('in a page it is text: no element, no attribute and no character of control comes from it', () => {
    expect(page).not.toMatch(/<(?:script|img|link|iframe|object|style [^>]*src)/i);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('\\u001b]0;owned');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    const tags = new Set([...page.matchAll(/<([a-z][a-z0-9]*)/gi)].map((match) => match[1]));
    expect([...tags].sort()).toEqual(
      'body circle dd details div dl dt h1 h2 head html li line meta ol p pre rect span style summary svg text title'.split(' '),
    );
    expect(page).not.toMatch(/\son[a-z]+=(?!&quot;)"|\sstyle=|javascript:|https?:/);
  });

  test('the policy of a page forbids scripts and the network, and lets its one style be', () => {
    expect(page).toMatch(
      /http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-[A-Za-z0-9+/]+=*&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"/,
    );
    expect(page.match(/<style>/g)).toHaveLength(1);
    expect(page).toMatch(/prefers-color-scheme: dark/);
  });

  test('the proof stands out in the time line and in the list', () => {
    expect(page.match(/<circle class="proof"/g)).toHaveLength(1);
    expect(page.match(/<li class="proof"/g)).toHaveLength(1);
    expect(page.match(/<circle /g)).toHaveLength(lines.length);
  });

  test('on a terminal it is one plain line a mark, cut to its width', () => {
    const shown = toReportLines(capture, undefined);
    for (const line of shown) expect(line).not.toMatch(/\p{Cc}/u);
    expect(shown).toContain('  agent said     <script>alert(1)</script><img src=x onerror="alert(2)">after');
    expect(shown).toContain('*    0.005 s  library → user: /compact  (dispatched)');
    expect(shown).toContain('     0.009 s  native  ← user');
    expect(shown[0]).toBe('failed (native_failed)');
    for (const line of toReportLines(capture, 40).slice(-lines.length)) expect(line.length).toBeLessThanOrEqual(40);
  });
});

test('a long frame is cut in the page, and the page says so', () => {
  const long = toReportPage(
    toCapture(JSON.stringify({ t: 1, pid: 1, dir: 'in', frame: { type: 'x', text: 'a'.repeat(50_000) } })),
  );
  expect(long.length).toBeLessThan(30_000);
  expect(long).toMatch(/… 30\d{3} characters more in the file/);
});
