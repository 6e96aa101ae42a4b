import { isNativeCompactionError, type NativeCompactionError } from '@native-compaction/core';
import { describe, expect, test } from 'vitest';
import {
  anchorFor,
  applyFact,
  applyFacts,
  buildHandoff,
  compactFirst,
  compactInstructions,
  compactTiered,
  compactTranscript,
  contextFor,
  createRewriteProof,
  emptyLedger,
  estimateTokens,
  type LedgerFact,
  markSemantics,
  onCompaction,
  rootOf,
  withContinuity,
} from '../src/index.ts';
import { user } from './support/transcript.ts';

const ledger = applyFacts(emptyLedger, [
  { t: 'accepted', id: 'a', text: 'a text that is longer than nothing' },
  { t: 'started', id: 'a' },
]);
const budget = { totalTokens: 100, headTokens: 10, inFlightTokens: 100, estimate: estimateTokens };
const window = { windowTokens: 1_000 };
const observed = { origin: 'automatic', outcome: 'completed' } as const;
const route = { anchorRoute: 'next-input' } as const;

/** Every number that a caller hands in, by the name that its error tells. */
const numbers: [string, string, (value: never) => unknown][] = [
  ['buildHandoff()', 'totalTokens', (totalTokens) => buildHandoff(ledger, '', { ...budget, totalTokens })],
  ['buildHandoff()', 'headTokens', (headTokens) => buildHandoff(ledger, '', { ...budget, headTokens })],
  ['buildHandoff()', 'inFlightTokens', (inFlightTokens) => buildHandoff(ledger, '', { ...budget, inFlightTokens })],
  ['anchorFor()', 'inFlightTokens', (inFlightTokens) => anchorFor(ledger, { inFlightTokens })],
  ['anchorFor()', 'inFlightTokens', (inFlightTokens) => onCompaction(ledger, observed, route, { inFlightTokens })],
  ['compactInstructions()', 'maxRequests', (maxRequests) => compactInstructions(ledger, { maxRequests })],
  ['compactInstructions()', 'maxCharacters', (maxCharacters) => compactInstructions(ledger, { maxCharacters })],
  ['contextFor()', 'maxCharacters', (maxCharacters) => contextFor(ledger, maxCharacters)],
  ['compactFirst()', 'usedTokens', (used) => compactFirst(used, window, 0)],
  ['compactFirst()', 'inputTokens', (input) => compactFirst(0, window, input)],
  ['compactFirst()', 'windowTokens', (windowTokens) => compactFirst(0, { windowTokens }, 0)],
  ['compactFirst()', 'reservedTokens', (reservedTokens) => compactFirst(0, { ...window, reservedTokens }, 0)],
  ['compactTiered()', 'keepTurns', (keepTurns) => compactTiered([], keepTurns)],
  ['compactTranscript()', 'keepTurns', (keepTurns) => compactTranscript([], { pressure: 1, keepTurns })],
  ['createRewriteProof()', 'generation', (generation) => createRewriteProof([], rootOf([]), generation)],
  ['rootOf()', 'length', (length) => rootOf([], length)],
  [
    'applyFact()',
    'evidence.position',
    (position) => applyFact(ledger, { t: 'compacted', evidence: { source: 'log', position, kind: 'x' } }),
  ],
];
const wrong: unknown[] = [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, '100', null];
const parts: [string, string, (value: never) => unknown][] = [
  ['compactFirst()', 'ratio', (ratio) => compactFirst(0, { ...window, ratio }, 0)],
  ['compactTranscript()', 'base', (base) => compactTranscript([], { pressure: 1, base })],
  ['compactTranscript()', 'pressure', (pressure) => compactTranscript([], { pressure })],
];

describe('a number that limits nothing is refused, and the error names it', () => {
  test.each(numbers)('%s %s', (where, field, call) => {
    for (const value of wrong)
      expect(() => call(value as never), String(value)).toThrow(
        expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(`${where}: ${field}: `) }),
      );
  });

  test.each(parts)('%s %s', (where, field, call) => {
    for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, '1'])
      expect(() => call(value as never), String(value)).toThrow(
        expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(`${where}: ${field}: `) }),
      );
  });

  test('one that is too small, where nothing would be left', () => {
    for (const call of [
      () => contextFor(ledger, 1_499),
      () => compactTiered([], 0),
      () => compactFirst(0, { windowTokens: 0 }, 0),
      () => compactFirst(0, { windowTokens: 1, ratio: 0 }, 0),
      () => compactFirst(0, { windowTokens: 1, ratio: 1.1 }, 0),
    ])
      expect(call).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    expect(buildHandoff(ledger, '', { ...budget, totalTokens: 0, headTokens: 0, inFlightTokens: 0 }).anchor?.ids).toEqual(['a']);
  });

  test('a tokenizer that gives no number is refused, for it would let everything through', () => {
    for (const given of [Number.NaN, -1, Number.POSITIVE_INFINITY, '3', undefined, Promise.resolve(1)]) {
      const estimate = (() => given) as never;
      expect(thrownBy(() => buildHandoff(ledger, '', { ...budget, estimate }))).toMatchObject({ code: 'invalid_options' });
      expect(thrownBy(() => anchorFor(ledger, { estimate }))).toMatchObject({ code: 'invalid_options' });
    }
    for (const estimate of [undefined, 4, 'x'])
      expect(thrownBy(() => buildHandoff(ledger, '', { ...budget, estimate } as never))).toMatchObject({
        code: 'invalid_options',
      });
  });

  test('a tokenizer of its own mind still keeps the budget', () => {
    const estimate = (text: string) => (text.length % 7 === 0 ? text.length * 3 : text.length);
    const past = applyFacts(
      emptyLedger,
      Array.from({ length: 30 }, (_, n): LedgerFact => ({ t: 'accepted', id: `p${n}`, text: `text ${n} `.repeat(n) })),
    );
    for (let totalTokens = 0; totalTokens < 2_000; totalTokens += 37) {
      const rendered = buildHandoff(past, '', {
        totalTokens,
        headTokens: totalTokens >> 2,
        inFlightTokens: 0,
        estimate,
      }).render();
      const kept = rendered.split('\n').filter((line) => line.startsWith('request {'));
      expect(kept.reduce((sum, line) => sum + estimate(`${line}\n`), 0)).toBeLessThanOrEqual(totalTokens);
    }
  });
});

describe('what is no fact, no relation and no nonce is refused too', () => {
  test('no ledger holds what its own snapshot would not take back', () => {
    const broken: unknown[] = [
      undefined,
      null,
      'text',
      {},
      { t: 'unknown', id: 'a' },
      { t: 'accepted', id: 'b' },
      { t: 'accepted', id: 1, text: 'x' },
      { t: 'accepted', id: 'b', text: 'x', kind: 'shell' },
      { t: 'settled', id: 'a', outcome: 'cancelled' },
      { t: 'related', id: 'a', relation: 'invalid' },
      { t: 'started', id: 'a', evidence: { source: 'x' } },
      { t: 'started', id: 'a', extra: 1 },
    ];
    for (const fact of broken)
      expect(
        thrownBy(() => applyFact(ledger, fact as LedgerFact)),
        JSON.stringify(fact),
      ).toMatchObject({ code: 'invalid_options' });
    const absent = { t: 'accepted', id: 'b', text: 'x', kind: undefined, evidence: undefined } as unknown as LedgerFact;
    expect(applyFact(ledger, absent).count).toBe(2);
  });

  test('a relation that is none is not written into a message', () => {
    for (const relation of ['invalid', undefined, null])
      expect(thrownBy(() => markSemantics(user('x'), relation as never))).toMatchObject({ code: 'invalid_options' });
    expect(thrownBy(() => markSemantics(user('x'), 'refine', { kind: '' } as never))).toMatchObject({ code: 'invalid_options' });
  });

  test('a nonce is one line, so that no line of ours comes from it', () => {
    for (const nonce of ['', ' ', 'a\nrequest {"id":"a"}', 'a\u0085b', 'a\u2028b', '\u001b[2J'])
      expect(
        thrownBy(() => compactInstructions(ledger, { nonce })),
        JSON.stringify(nonce),
      ).toMatchObject({ code: 'invalid_options' });
    expect(compactInstructions(ledger, { nonce: 'run 7' }).split('\n')[0]).toBe('continuity run 7');
  });
});

function thrownBy(call: () => unknown): NativeCompactionError | undefined {
  try {
    call();
  } catch (error) {
    if (isNativeCompactionError(error)) return error;
    throw error;
  }
  return undefined;
}

test('the declaration of the runtime is asked for: without it nothing would be done, and nothing would tell', () => {
  const session = {} as never;
  expect(() => withContinuity(session, {} as never)).toThrow(/capability/);
  expect(() => withContinuity(session, { capability: undefined })).toThrow(/session/);
});
