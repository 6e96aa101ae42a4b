import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDeltas } from '../src/deltas.ts';
import type { RecordDraft } from '../src/record.ts';
import { createRedactor } from '../src/redact.ts';

const redactor = createRedactor({ MY_TOKEN: 'exact secret with spaces' });
const delta = (text: string, index = 0): RecordDraft => ({ type: 'assistant_delta', index, text });
const over: RecordDraft = { type: 'turn_ended', kind: 'prompt', outcome: 'completed' };
const said = (pieces: readonly string[]) => {
  const deltas = createDeltas(redactor);
  const drafts = [...pieces.map((piece) => delta(piece)), over].flatMap((draft) => deltas.take(draft));
  return drafts.map((draft) => (draft.type === 'assistant_delta' ? draft.text : '')).join('');
};
/** The same for runs of deltas, by a redactor without secrets of several words: the quicker ways are taken then. */
const saidInRuns = (runs: readonly (readonly string[])[]) => {
  const deltas = createDeltas(createRedactor({ MY_TOKEN: 'exact-secret-1' }));
  const all = [...runs.map((run) => run.map((text) => delta(text))), [over]];
  const told = all.flatMap((run) => deltas.takeRun(run.map((draft) => ({ draft, bytes: 1 }))));
  return told.map(({ draft }) => (draft.type === 'assistant_delta' ? draft.text : '')).join('');
};
const secrets = [
  `sk-ant-api03-${'aB3'.repeat(12)}`,
  `ghp_${'aB3'.repeat(12)}`,
  'Authorization: Bearer abcdef123',
  'https://user:hunter2@host/path?api_key=zzz&x=1',
  'exact secret with spaces',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE abc\n-----END RSA PRIVATE KEY-----',
  'MY_API_KEY = plainvalue',
];

describe('createDeltas', () => {
  test.each(secrets)('R9 %j split between any two characters is redacted as if it were whole', (secret) => {
    const text = `before ${secret} after`;
    const whole = redactor.text(text);
    for (let cut = 0; cut <= text.length; cut += 1) expect(said([text.slice(0, cut), text.slice(cut)])).toBe(whole);
    expect(said([...text])).toBe(whole);
  });

  test('R9 any text cut anywhere says what the whole text says', () => {
    const words = fc.oneof(
      fc.constantFrom(...secrets, 'hello', '\n', ' ', 'Bearer', 'a'.repeat(40)),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.array(fc.nat(400), { maxLength: 12 }), (parts, cuts) => {
        const text = parts.join(' ');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        expect(said(places.slice(1).map((end, at) => text.slice(places[at], end)))).toBe(redactor.text(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test('what is held comes out before what follows it, and blocks do not mix', () => {
    const deltas = createDeltas(redactor);
    expect(deltas.take(delta('one tw'))).toMatchObject([{ text: 'one ' }]);
    expect(deltas.take({ type: 'idle' })).toEqual([{ type: 'idle' }]);
    expect(deltas.take(delta('second block ', 1))).toMatchObject([
      { text: 'tw', index: 0 },
      { text: 'second block ', index: 1 },
    ]);
    expect(deltas.take(delta('end', 1))).toEqual([]);
    expect(deltas.take({ type: 'assistant_text', text: 'all' })).toMatchObject([
      { type: 'assistant_delta', text: 'end' },
      { type: 'assistant_text' },
    ]);
  });

  test('R9 a private key that is longer than what can be held leaves nothing of itself', () => {
    const line = 'MIIEabc123+/MIIEabc123+/MIIEabc123+/MIIEabc123+/MIIEabc123+/1234\n';
    for (const lines of [50, 120, 400]) {
      const text = `before -----BEGIN PRIVATE KEY-----\n${line.repeat(lines)}-----END PRIVATE KEY----- after`;
      for (const size of [7, 64, 1_000, 9_000]) {
        const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
        const out = said(pieces);
        expect(out).not.toContain('MIIE');
        expect(out.startsWith('before ') && out.endsWith(' after'), out.slice(0, 200)).toBe(true);
      }
      expect(said([text.slice(0, -40)])).not.toContain('MIIE');
    }
  });

  test('a large piece costs about what its size says', () => {
    for (const text of [
      'x'.repeat(200_000),
      '語'.repeat(100_000),
      JSON.stringify(Array.from({ length: 20_000 }, (_, n) => n)),
      `${'word '.repeat(40_000)}`,
    ]) {
      const start = performance.now();
      said([`${text} end`]);
      expect(performance.now() - start).toBeLessThan(1_500);
    }
  });

  test('a word without an end is not held for ever', () => {
    expect(said(['x'.repeat(20_000)])).toBe('x'.repeat(20_000));
    const deltas = createDeltas(redactor);
    expect(deltas.take(delta('x'.repeat(9_000)))).toHaveLength(1);
  });

  test.each(['\u00a0 ', ' \u00a0', '\u2003\n', '\u3000 ', '\ufeff\t', ' '.repeat(300), '\n'.repeat(300)])(
    'R9 a secret split over two runs is seen behind its announcement, whatever space is between them: %j',
    (space) => {
      const schemes = ['Bearer', 'basic', 'Authorization: Bearer'];
      for (const announcement of space.length > 2 ? schemes : [...schemes, 'MY_API_KEY =', '"x-api-key":']) {
        const text = `send ${announcement}${space}abc-long-value and on`;
        const cut = text.indexOf('abc') + 3;
        const out = saidInRuns([[text.slice(0, cut)], [text.slice(cut)]]);
        expect(out).not.toContain('long-value');
        expect(out.endsWith(' and on')).toBe(true);
      }
    },
  );

  test.each(['x,', '語、', '😀'])('R9 a secret inside a word that is longer than what is held, %s again and again', (unit) => {
    for (const secret of [`sk-ant-api03-${'aB3'.repeat(12)}`, 'exact-secret-1']) {
      for (let before = 8_150; before < 8_200; before += 3) {
        const text = `${unit.repeat(before).slice(-before)},${secret},${unit.repeat(5_000)} end`;
        const pieces = text.match(/[\s\S]{1,23}/g) ?? [];
        expect(saidInRuns(pieces.map((piece) => [piece]))).toBe(text.replace(secret, '[redacted]'));
      }
    }
  });

  test('R9 messages that are written side by side are each held for themselves', () => {
    const deltas = createDeltas(redactor);
    const [head, tail] = ['sk-ant-api03-aaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbb and on'];
    const of = (messageId: string, text: string): RecordDraft => ({ type: 'assistant_delta', messageId, text });
    const ended: RecordDraft = { type: 'assistant_text', messageId: 'm1', text: 'one' };
    const drafts = [of('m2', head), of('m1', 'one '), ended, of('m2', tail), over].flatMap((draft) => deltas.take(draft));
    const shown = drafts.map((draft) => (draft.type === 'assistant_delta' ? redactor.text(draft.text) : '')).join('|');
    expect(shown).toContain('[redacted] and');
    expect(shown).not.toMatch(/aaaa|bbbb/);
  });

  test('R9 a run says what its deltas say one by one, whatever is held and whatever it mixes', () => {
    const words = fc.oneof(
      fc.constantFrom(...secrets, 'hello', ' and ', '\n', ' ', ' Bearer', 'cookie: ', ' plain words\n', ''),
      fc.constantFrom(...secrets).chain((secret) => fc.nat(secret.length).map((cut) => secret.slice(cut))),
      fc.string({ maxLength: 8 }),
    );
    const draft = fc.oneof(
      { weight: 8, arbitrary: words.map((text) => delta(text)) },
      { weight: 1, arbitrary: words.map((text) => delta(text, 1)) },
      {
        weight: 1,
        arbitrary: words.map((text): RecordDraft => ({ type: 'assistant_delta', taskId: 't', messageId: 'm', text })),
      },
      { weight: 1, arbitrary: fc.constantFrom<RecordDraft>({ type: 'idle' }, { type: 'assistant_text', text: 'x' }, over) },
    );
    fc.assert(
      fc.property(fc.array(fc.array(draft, { maxLength: 6 }), { maxLength: 8 }), (runs) => {
        const [together, single] = [createDeltas(redactor), createDeltas(redactor)];
        const all = [...runs, [over]].map((run) => run.map((told, bytes) => ({ draft: told, bytes })));
        const one = all.flat().flatMap(({ draft: told, bytes }) => single.take(told).map((made) => ({ draft: made, bytes })));
        expect(all.flatMap((run) => together.takeRun(run))).toEqual(one);
      }),
      { numRuns: 20_000, seed: 12 },
    );
  }, 60_000);
});
