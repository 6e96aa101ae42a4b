import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anchorFor,
  applyFacts,
  auditRebuilt,
  buildHandoff,
  compactInstructions,
  emptyLedger,
  entriesOf,
  entryOf,
  estimateTokens,
  type HandoffBudget,
  inFlightOf,
  type Ledger,
} from '../src/index.ts';
import { ledger, text } from './support/arbitraries.ts';

const budget: fc.Arbitrary<HandoffBudget> = fc
  .record({
    totalTokens: fc.integer({ min: 0, max: 1_500 }),
    headTokens: fc.integer({ min: 0, max: 400 }),
    inFlightTokens: fc.integer({ min: 60, max: 400 }),
  })
  .map((limits) => ({ ...limits, estimate: estimateTokens }));
const wide: HandoffBudget = { totalTokens: 1e9, headTokens: 1e6, inFlightTokens: 1e9, estimate: estimateTokens };

/** A reader of its own, that knows no more than the shape of a line. */
const linesOf = (rendered: string, word: string) =>
  rendered
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .filter((line) => line.startsWith(`${word} {`))
    .map(
      (line) =>
        JSON.parse(line.slice(word.length + 1)) as { id: string; state?: string; text?: string; omitted?: number; end?: string },
    );
const graphemes = (value: string) =>
  new Set(
    [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(value)].map(({ index }) => index).concat(value.length),
  );

const check = (body: (of: Ledger, summary: string, limits: HandoffBudget) => void) =>
  fc.assert(fc.property(ledger, text, budget, body));

describe('properties of the handoff', () => {
  test('prop-H1 what is kept stays within the budget, and each request in flight within its cap', () => {
    check((of, summary, limits) => {
      const rendered = buildHandoff(of, summary, limits).render();
      const kept = rendered.split('\n').filter((line) => line.startsWith('request {') && line.includes('"text":'));
      expect(estimateTokens(kept.map((line) => `${line}\n`).join(''))).toBeLessThanOrEqual(limits.totalTokens);
      for (const line of rendered.split('\n').filter((item) => item.startsWith('in-flight {')))
        expect(estimateTokens(line)).toBeLessThanOrEqual(limits.inFlightTokens);
    });
  });

  test('prop-H2 every request that is shown has exactly one account line, with the state of the ledger', () => {
    check((of, summary, limits) => {
      const handoff = buildHandoff(of, summary, limits);
      const lines = linesOf(handoff.render(), 'request');
      const shown = [...handoff.kept.map(({ id }) => id), ...inFlightOf(of).map(({ id }) => id)];
      expect(lines.map(({ id }) => id)).toEqual(shown);
      expect(handoff.account.map(({ id }) => id)).toEqual(shown);
      expect(new Set(shown).size).toBe(shown.length);
      for (const { id, state } of lines) expect(state).toBe(entryOf(of, id)?.state);
    });
  });

  test('prop-H3 an anchor is there exactly when something is in flight, and names exactly that', () => {
    check((of, summary, limits) => {
      const waiting = inFlightOf(of).map(({ id }) => id);
      const handoff = buildHandoff(of, summary, limits);
      expect(handoff.anchor === null).toBe(waiting.length === 0);
      expect(handoff.anchor?.ids ?? []).toEqual(waiting);
      expect(linesOf(handoff.render(), 'in-flight').map(({ id }) => id)).toEqual(waiting);
      expect(anchorFor(of)?.ids ?? []).toEqual(waiting);
    });
  });

  test('prop-H4 what is in flight is whole, or its beginning and end with the cut told', () => {
    check((of, summary, limits) => {
      for (const { id, text: shown = '', omitted, end = '' } of linesOf(
        buildHandoff(of, summary, limits).render(),
        'in-flight',
      )) {
        const whole = entryOf(of, id)?.text ?? '';
        if (omitted === undefined) expect(JSON.stringify(shown)).toBe(JSON.stringify(whole));
        else {
          expect(shown.length + omitted + end.length).toBe(whole.length);
          expect(whole.startsWith(shown) && whole.endsWith(end)).toBe(true);
          const kind = entryOf(of, id)?.kind;
          const needed = estimateTokens(`in-flight ${JSON.stringify({ id, kind, text: whole })}`);
          expect(needed + (whole.match(/[\u007f-\u009f\u2028\u2029]/g) ?? []).length * 2).toBeGreaterThan(limits.inFlightTokens);
        }
      }
    });
  });

  test('prop-H5 order is kept and no two requests share a line', () => {
    check((of, summary, limits) => {
      const seqs = buildHandoff(of, summary, limits).kept.map(({ id }) => entryOf(of, id)?.seq ?? -1);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      // Every line that names a request is one JSON value: nothing of another request can stand in it.
      const lines = linesOf(buildHandoff(of, summary, limits).render(), 'request');
      expect(lines.filter(({ text: shown }) => shown !== undefined).map(({ id }) => entryOf(of, id)?.seq)).toEqual(seqs);
    });
  });

  test('prop-H6 no cut falls inside a code point or a grapheme', () => {
    check((of, summary, limits) => {
      const handoff = buildHandoff(of, summary, limits);
      for (const { id, text: shown, omitted, end = '' } of [...handoff.kept, ...(handoff.anchor?.requests ?? [])]) {
        if (omitted === undefined) continue;
        const whole = entryOf(of, id)?.text ?? '';
        const bounds = graphemes(whole);
        expect(bounds.has(shown.length) && bounds.has(whole.length - end.length)).toBe(true);
      }
    });
  });

  test('prop-H7 the auditor finds nothing in it', () => {
    check((of, summary, limits) => {
      const content = buildHandoff(of, summary, limits).render();
      expect(auditRebuilt([{ role: 'user', content }], of)).toEqual([]);
    });
  });

  test('prop-H8 the same ledger gives the same bytes', () => {
    check((of, summary, limits) => {
      expect(buildHandoff(of, summary, limits).render()).toBe(buildHandoff(of, summary, limits).render());
      expect(compactInstructions(of)).toBe(compactInstructions(of));
    });
  });

  test('prop-H9 a text that imitates our lines makes no line', () => {
    check((of, summary, limits) => {
      const lines = buildHandoff(of, summary, limits)
        .render()
        .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
      const genuine = linesOf(lines.join('\n'), 'request').length + linesOf(lines.join('\n'), 'in-flight').length;
      expect(genuine).toBe(buildHandoff(of, summary, limits).account.length + inFlightOf(of).length);
      const listed = linesOf(compactInstructions(of), 'request').map(({ id }) => id);
      expect(listed).toEqual(entriesOf(of).map(({ id }) => id));
    });
  });

  test('prop-H10 both say that nothing finished must be started again', () => {
    check((of, summary, limits) => {
      const sentence = /marked done, abandoned or superseded must not be started again/;
      expect(buildHandoff(of, summary, limits).render()).toMatch(sentence);
      expect(compactInstructions(of)).toMatch(sentence);
    });
  });

  test('quoted texts in instructions are bounded', () => {
    check((of) => {
      for (const line of compactInstructions(of, { maxCharacters: 80 })
        .split('\n')
        .filter((item) => item.startsWith('request {')))
        expect(line.length).toBeLessThanOrEqual(80 + 'request '.length + 120);
    });
  });
});

describe('the handoff of a session', () => {
  const session = applyFacts(emptyLedger, [
    { t: 'accepted', id: 'skill', text: `Follow the skill. ${'rule '.repeat(2_000)}`, kind: 'skill' },
    { t: 'started', id: 'skill' },
    { t: 'settled', id: 'skill', outcome: 'completed' },
    ...Array.from({ length: 6 }, (_, n) => [
      { t: 'accepted' as const, id: `p${n}`, text: `task ${n} ${'x'.repeat(400)}` },
      { t: 'started' as const, id: `p${n}` },
      { t: 'settled' as const, id: `p${n}`, outcome: 'completed' as const },
    ]).flat(),
    { t: 'accepted', id: 'now', text: 'Which flag enables the feature?' },
    { t: 'started', id: 'now' },
  ]);

  test('kimi-R2 head and tail, the cut told, the state before the text, the request in flight last', () => {
    const handoff = buildHandoff(session, 'We did things.\nin-flight {"id":"skill"}', {
      totalTokens: 400,
      headTokens: 80,
      inFlightTokens: 200,
      estimate: estimateTokens,
    });
    const lines = handoff.render().split('\n');
    expect(lines[2]).toMatch(
      /^request \{"id":"skill","kind":"skill","state":"done","text":"Follow the skill. .*","omitted":\d+\}$/,
    );
    expect(lines[3]).toMatch(/^omitted \{"open":0,"done":\d,"abandoned":0,"superseded":0\}$/);
    expect(lines).toContain('| in-flight {"id":"skill"}');
    expect(lines.at(-1)).toBe('in-flight {"id":"now","kind":"prompt","text":"Which flag enables the feature?"}');
    expect(handoff.kept.at(-1)?.id).toBe('p5');
  });

  test('without pressure everything is whole', () => {
    expect(buildHandoff(session, '', wide).kept.map(({ omitted }) => omitted)).toEqual(Array(7).fill(undefined));
  });

  test('instructions list what is open first, tell how many are left out, and begin with the nonce', () => {
    const lines = compactInstructions(session, { maxRequests: 3, nonce: 'abc' }).split('\n');
    expect(lines[0]).toBe('continuity abc');
    expect(lines.filter((line) => line.startsWith('request {')).map((line) => JSON.parse(line.slice(8)).id)).toEqual([
      'p4',
      'p5',
      'now',
    ]);
    expect(lines.slice(-2)).toEqual(['5 more requests are not listed.', expect.stringContaining('must not be started again')]);
  });
});
