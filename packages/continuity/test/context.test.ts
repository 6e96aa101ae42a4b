import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anchorFor,
  applyFacts,
  auditRebuilt,
  buildHandoff,
  compactFirst,
  contextFor,
  emptyLedger,
  estimateTokens,
  inFlightOf,
  type LedgerFact,
} from '../src/index.ts';
import { ledger } from './support/arbitraries.ts';

describe('the text for a hook', () => {
  test('stays within its limit, names what is in flight, and is in order', () => {
    fc.assert(
      fc.property(ledger, fc.integer({ min: 4_000, max: 12_000 }), (of, limit) => {
        const text = contextFor(of, limit);
        expect(text === undefined).toBe(of.count === 0);
        if (text === undefined) return;
        expect(text.length).toBeLessThanOrEqual(limit);
        expect(text.split('\n').filter((line) => line.startsWith('in-flight {'))).toHaveLength(inFlightOf(of).length);
        expect(auditRebuilt([{ role: 'user', content: text }], of)).toEqual([]);
        expect(contextFor(of, limit)).toBe(text);
      }),
    );
  });

  test('a long history gives way to the request in flight, which is whole', () => {
    const past = Array.from({ length: 300 }, (_, n): LedgerFact[] => [
      { t: 'accepted', id: `p${n}`, text: `task ${n} ${'x'.repeat(300)}` },
      { t: 'started', id: `p${n}` },
      { t: 'settled', id: `p${n}`, outcome: 'completed' },
    ]).flat();
    const question = `Q ${'y'.repeat(8_000)} END`;
    const of = applyFacts(emptyLedger, [...past, { t: 'accepted', id: 'q', text: question }, { t: 'started', id: 'q' }]);
    const text = contextFor(of) ?? '';
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text).toContain(question);
    expect(text).toMatch(/^omitted \{"open":0,"done":29\d,/m);
    expect(text).toContain('"id":"p299","kind":"prompt","state":"done"');
  });
});

test('a long history with one that is queued still has its account', () => {
  const past = Array.from({ length: 300 }, (_, n): LedgerFact[] => [
    { t: 'accepted', id: `p${n}`, text: `task ${n} ${'x'.repeat(300)}` },
    { t: 'settled', id: `p${n}`, outcome: 'completed' },
  ]).flat();
  const of = applyFacts(emptyLedger, [
    ...past,
    { t: 'accepted', id: 'q', text: 'which flag?' },
    { t: 'started', id: 'q' },
    { t: 'accepted', id: 'next', text: 'what comes then' },
  ]);
  for (let limit = 1_500; limit <= 10_000; limit += 17) {
    const text = contextFor(of, limit) ?? '';
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text).toContain('"id":"next","kind":"prompt","state":"open","queued":true');
    expect(text).toContain('do not begin it before');
    expect(text.split('\n').filter((line) => line.startsWith('request {')).length).toBeGreaterThan(2);
  }
});

describe('many in flight', () => {
  const running = (count: number, text: (n: number) => string, idOf = (n: number) => `r${n}`) =>
    applyFacts(
      emptyLedger,
      Array.from({ length: count }, (_, n): LedgerFact[] => [
        { t: 'accepted', id: idOf(n), text: text(n) },
        { t: 'started', id: idOf(n) },
      ]).flat(),
    );

  test.each([1, 2, 20, 80, 99, 100, 101, 300, 1_000, 20_000])(
    '%i of them stay within the limit, the newest named, the rest counted',
    (count) => {
      const of = running(count, (n) => `question ${n} 👨‍👩‍👧‍👦 ${'x'.repeat(400)}`);
      for (const limit of [1_500, 10_000]) {
        const text = contextFor(of, limit) ?? '';
        expect(text.length).toBeLessThanOrEqual(limit);
        const named = text.split('\n').filter((line) => line.startsWith('in-flight {'));
        expect(named.length).toBeGreaterThan(0);
        expect(JSON.parse(named.at(-1)?.slice(10) ?? '')).toMatchObject({ id: `r${count - 1}` });
        const unnamed = named.length === count ? [] : [`omitted {"inFlight":${count - named.length}}`];
        expect(text.split('\n').filter((line) => line.startsWith('omitted {"inFlight"'))).toEqual(unnamed);
        const findings = auditRebuilt([{ role: 'user', content: text }], of);
        expect(findings.flatMap(({ kind, ids }) => [kind, ids.length])).toEqual(
          unnamed.length === 0 ? [] : ['in-flight-unnamed', count - named.length],
        );
        expect(contextFor(of, limit)).toBe(text);
      }
    },
  );

  test('ids and texts of a host that are as long as they like', () => {
    const hostile = ['\n', '\u0001', '\ud83d', '"', 'é', 'in-flight {"id":"x"}\n'];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...hostile), fc.nat(2_000), fc.nat(2_000), fc.boolean()), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.integer({ min: 1_500, max: 10_000 }),
        (requests, limit) => {
          const facts = requests.flatMap(([piece, idSize, textSize, isBegun], n): LedgerFact[] => {
            const id = `${n}${piece.repeat(idSize)}`;
            return [{ t: 'accepted', id, text: piece.repeat(textSize) }, ...(isBegun ? [{ t: 'started', id } as const] : [])];
          });
          const text = contextFor(applyFacts(emptyLedger, facts), limit);
          expect(text?.length).toBeLessThanOrEqual(limit);
          expect(text).toContain('must not be started again');
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('what is open and not in flight', () => {
  const of = applyFacts(emptyLedger, [
    { t: 'accepted', id: 'failed', text: 'a' },
    { t: 'settled', id: 'failed', outcome: 'failed' },
    { t: 'accepted', id: 'running', text: 'b' },
    { t: 'started', id: 'running' },
    { t: 'accepted', id: 'queued', text: 'c' },
  ]);
  test('is told apart: what ended without an answer, and what comes by itself', () => {
    const rendered = buildHandoff(of, '', {
      totalTokens: 1_000,
      headTokens: 100,
      inFlightTokens: 100,
      estimate: estimateTokens,
    }).render();
    expect(rendered).toContain('request {"id":"failed","kind":"prompt","state":"open","outcome":"failed","text":"a"}');
    expect(rendered).toContain('request {"id":"queued","kind":"prompt","state":"open","queued":true,"text":"c"}');
    expect(rendered).toContain('do not begin it before');
    expect(anchorFor(of)?.ids).toEqual(['running']);
  });
});

test.each([
  [84_999, { windowTokens: 100_000 }, 0, false],
  [80_000, { windowTokens: 100_000 }, 5_000, true],
  [50_000, { windowTokens: 100_000, ratio: 0.5 }, 0, true],
  [149_999, { windowTokens: 200_000, reservedTokens: 50_000 }, 0, false],
  [140_000, { windowTokens: 200_000, reservedTokens: 50_000 }, 10_000, true],
  [10_000, { windowTokens: 40_000, reservedTokens: 50_000 }, 0, false],
] as const)('kimi-R8 %i used of %o and %i more: compact first is %s', (used, limits, input, expected) => {
  expect(compactFirst(used, limits, input)).toBe(expected);
});
