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
  { t: 5, pid: 1, dir: 'out', frame: { type: 'user', uuid: 'u', message: { content: '/compact' } } },
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
    expect(capture).toMatchObject({ result, prompt: { system: 'at-next-compaction', append: 'unknown' } });
  });

  test('shows causes before their effects where one millisecond holds both', () => {
    const passed = (dir: string, name: string) => ({ t: 5, pid: 1, dir, frame: { type: name } });
    const told = (type: string) => record(5, { type });
    const [asked, answer, command, end] = [
      passed('out', 'ask'),
      passed('in', 'answer'),
      passed('out', 'command'),
      passed('in', 'end'),
    ];
    const rows = [asked, answer, command, told('answered'), told('dispatched'), end, told('ended')];
    expect(toCapture(rows.map((row) => JSON.stringify(row)).join('\n')).marks.map(({ label }) => label)).toEqual([
      ...['ask', 'answer', 'answered', 'dispatched', 'command', 'end', 'ended'],
    ]);
  });

  test('says whose compaction it shows, when it was asked for, why it is what it is, and what the band is', () => {
    const asked = [
      record(1, { type: 'session_opened', nativeId: 'native' }),
      record(1_765_432_198_765, { type: 'compaction_requested', requestId: 'r' }),
    ];
    const told = toCapture([...asked, ...lines].map((line) => JSON.stringify(line)).join('\n'));
    const origin = ['  session        native', '  request        r', '  asked at       2025-12-11 05:49:58 UTC'];
    expect(toReportLines(told, undefined).slice(1, 4)).toEqual(origin);
    const page = toReportPage(told);
    expect(page).toMatch(/<h1 class="[a-z]+">Compaction failed \(native_failed\)/);
    expect(page).toMatch(/<dt>session<\/dt><dd>native<\/dd><dt>request<\/dt><dd>r<\/dd><dt>asked at<\/dt><dd>2025-12-11 /);
    expect(page).toContain('The shaded band reaches from the dispatch');
    expect(toReportPage(capture)).toContain('<title>user: /compact (dispatched, frame 2)</title>');
    const forged = [{ ...asked[1], record: { ...asked[1]?.record, atMs: 1e300 } }, ...lines];
    const shown = toReportLines(toCapture(forged.map((line) => JSON.stringify(line)).join('\n')), undefined);
    expect(shown.filter((line) => /asked at|Invalid/.test(line))).toEqual([]);
  });

  test('that was cut off, and one without a result, are shown as far as they go', () => {
    const cut = toCapture(`${content.slice(0, content.indexOf('/compact'))}`);
    expect([cut.marks.length, cut.result]).toEqual([1, undefined]);
    expect(toReportLines(cut, undefined).slice(0, 2)).toEqual([
      'no result in this file: frames only',
      '1 line of the file could not be read.',
    ]);
    expect(toReportPage(cut)).toMatch(/Frames without a result[\s\S]*1 line of the file could not be read/);
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
    expect(shown).toContain('*    0.005 s  library → user: /compact  (dispatched, frame 2)');
    expect(shown).toContain('     0.009 s  native  ← user');
    expect(shown[0]).toBe('failed (native_failed), which this file does not prove');
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

describe('a file that does not bear its result out', () => {
  const turn = { turnId: 'turn' };
  const item = { ...turn, itemId: 'item' };
  const pieces = [
    ['dispatched', { requestId: 'q' }, 'out', { id: 'q', method: 'thread/compact/start', params: { threadId: 't' } }],
    ['accepted', { requestId: 'q' }, 'in', { id: 'q', result: {} }],
    ['turn_started', turn, 'in', { method: 'turn/started', params: { turn: { id: 'turn' } } }],
    [
      'item_started',
      item,
      'in',
      { method: 'item/started', params: { turnId: 'turn', item: { type: 'contextCompaction', id: 'item' } } },
    ],
    [
      'item_completed',
      item,
      'in',
      { method: 'item/completed', params: { turnId: 'turn', item: { type: 'contextCompaction', id: 'item' } } },
    ],
    ['turn_completed', turn, 'in', { method: 'turn/completed', params: { turn: { id: 'turn', status: 'completed' } } }],
  ] as const;
  const passed = pieces.map(([, , dir, frame], index) => ({ t: index, pid: 1, dir, frame: frame as object }));
  const whole = {
    ...{ requestId: 'r', sessionId: 's', runtime: 'codex', vendorVersion: '0.171.0', status: 'completed', context: 'compacted' },
    evidence: pieces.map(([kind, ids], index) => ({ frame: index + 1, kind, ids })),
  };
  const told = { t: 9, dir: 'result', result: whole, proof: [1, 2, 3, 4, 5, 6] };
  const read = (rows: readonly object[]) => toCapture(rows.map((row) => JSON.stringify(row)).join('\n'));
  const without = (index: number) => [
    ...passed.slice(0, index),
    { t: index, dir: 'record', record: {} },
    ...passed.slice(index + 1),
  ];
  const withFrame = (index: number, change: object) => passed.map((row, at) => (at === index ? { ...row, ...change } : row));

  test('is told from one that does', () => {
    const capture = read([...passed, told]);
    expect(capture).toMatchObject({ isProven: true, faults: [] });
    expect(capture.marks.filter(({ isProof }) => isProof).map(({ proves }) => proves)).toEqual(
      pieces.map(([kind], index) => `${kind}, frame ${index + 1}`),
    );
    expect(toReportLines(capture, undefined)[0]).toBe('completed');
  });

  test.each([
    ['a frame that is not there', [...without(4), told], 1],
    ['lines that are other frames', [...passed, { ...told, proof: [2, 3, 4, 5, 6, 1] }], 6],
    ['lines beyond the file, and no lines', [...passed, { ...told, proof: [99, -1, 1e300, 'x', null, 1.5] }], 6],
    ['one frame for all', [...passed, { ...told, proof: [1, 1, 1, 1, 1, 1] }], 5],
    ['no proof', [...passed, { ...told, proof: undefined }], 6],
    [
      'frames that came after the result',
      [told, ...passed].map((row) => (row === told ? { ...told, proof: [2, 3, 4, 5, 6, 7] } : row)),
      6,
    ],
    [
      'another id',
      [...withFrame(5, { frame: { method: 'turn/completed', params: { turn: { id: 'other', status: 'completed' } } } }), told],
      1,
    ],
    [
      'another end',
      [...withFrame(5, { frame: { method: 'turn/completed', params: { turn: { id: 'turn', status: 'failed' } } } }), told],
      1,
    ],
    ['another process', [...withFrame(5, { pid: 2 }), told], 1],
    ['the wrong direction', [...withFrame(1, { dir: 'out' }), told], 1],
  ])('%s: the claim is told as one, in the text and in the page', (_what, rows, missing) => {
    const capture = read(rows);
    expect(capture.isProven).toBe(false);
    const lines = toReportLines(capture, undefined);
    expect(lines[0]).toBe('completed, which this file does not prove');
    expect(lines.find((line) => line.startsWith('This file does not prove'))).toContain(
      `6 frames that the result names, ${missing} are not in this file`,
    );
    expect(lines.filter((line) => line.startsWith('*'))).toHaveLength(6 - missing);
    const page = toReportPage(capture);
    expect(page).toMatch(/<h1 class="failed">Compaction completed, which this file does not prove<\/h1>/);
    expect(page.match(/<li class="proof"/g) ?? []).toHaveLength(6 - missing);
  });

  test('a status without its native end is no proof, however much of the rest is there', () => {
    const result = { ...whole, evidence: whole.evidence.slice(0, 4) };
    const capture = read([...passed.slice(0, 4), { ...told, result, proof: [1, 2, 3, 4] }]);
    expect(capture.faults).toEqual(['This file does not prove the result: no frame here shows item_completed, turn_completed.']);
  });

  test('a result that cannot be read, and more than one, are told', () => {
    expect(read([...passed, { ...told, result: { ...whole, status: 'splendid' } }]).faults).toEqual([
      'The result in this file cannot be read.',
    ]);
    expect(read([...passed, told, told]).faults).toEqual(['There are 2 results in this file; the last one counts.']);
  });

  test('a frame that nests deeper than can be walked does not keep the rest from being shown', () => {
    const deep = `{"t":1,"pid":1,"dir":"in","frame":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(toReportPage(toCapture(`${JSON.stringify(passed[0])}\n${deep}`))).toContain('(nested too deep to be shown)');
  });
});

test('what the files of the agent said afterwards is shown as it was when it was told', () => {
  const unconfirmed = { ...result, status: 'unconfirmed', context: 'unknown', reason: 'timeout', started: true };
  const rows = [
    ...frames,
    { t: 21, dir: 'result', result: unconfirmed, proof: [2] },
    { t: 30, dir: 'afterwards', afterwards: { context: 'compacted', evidence: [] } },
  ];
  const shown = toCapture(rows.map((row) => JSON.stringify(row)).join('\n'));
  const lines = toReportLines(shown, undefined);
  expect(lines).toContain("  afterwards     the agent's own files say that history was replaced");
  expect(lines.at(-1)).toBe('     0.030 s  host    = afterwards compacted');
  const page = toReportPage(shown);
  expect(page).toContain('the agent&#39;s own files say that history was replaced');
  expect(page).toMatch(
    /<h1 class="[a-z]+">Compaction unconfirmed \(timeout\)[\s\S]*are what was seen of it so far[\s\S]*seen: dispatched, frame 2 · sent/,
  );
});
