import { describe, expect, test } from 'vitest';
import {
  applyDelta,
  beginRewrite,
  commitDelta,
  compactReactive,
  compactTiered,
  compactTranscript,
  createRewriteProof,
  finishRewrite,
  objectiveContext,
  projectCompleted,
  projectContinuation,
  projectResumable,
  type Relation,
  recoverContinuation,
  rootOf,
  type TranscriptMessage,
} from '../src/index.ts';
import { isBoundary, isVisibleUser } from '../src/messages.ts';
import { assistant, marker as B, call, group, result, runtime, user } from './support/transcript.ts';

type Messages = readonly TranscriptMessage[];
const H = user('O', 'replace');
const T = (relation?: Relation) => user('T', relation);
const A = assistant();
const objective = (messages: Messages) => {
  const read = objectiveContext(messages);
  return read.ok ? read.objective : read.error.code;
};
const output = (projected: ReturnType<typeof projectCompleted>) => (projected.ok ? projected.messages : projected.error.code);
const Rt = user('runtime says', 'replace', runtime('ephemeral_control'));
const kept = user('kept context', undefined, runtime('append_only_required_context'));

/** Rows in which both projections agree: input, output, objective before and after. */
const rows: [number, Messages, Messages, string[]][] = [
  [1, [H, B, T(), A], [H, T(), A], ['O']],
  [2, [H, B, T('unknown'), A], [H, T('unknown'), A], ['O']],
  [3, [H, B, T('acknowledge'), A], [H, T('acknowledge'), A], ['O']],
  [4, [H, B, T('continue'), A], [H, T('continue'), A], ['O']],
  [5, [H, B, T('refine'), A], [H, T('refine'), A], ['O', 'T']],
  [6, [H, B, T('correct'), A], [H, T('correct'), A], ['O', 'T']],
  [7, [H, B, T('replace'), A], [T('replace'), A], ['T']],
  [
    8,
    [H, B, user('T1', 'refine'), user('T2', 'replace'), A, user('T3', 'replace'), user('T4', 'refine')],
    [user('T3', 'replace'), user('T4', 'refine')],
    ['T3', 'T4'],
  ],
  [9, [H, B, Rt, user('  ', 'replace')], [H], ['O']],
  [17, [result('lost'), user('U'), A], [user('U'), A], []],
  [
    18,
    [H, assistant('A0'), user('O2', 'replace'), B, T('continue'), A],
    [H, assistant('A0'), user('O2', 'replace'), T('continue'), A],
    ['O2'],
  ],
  [
    19,
    [H, B, user('T1', 'replace'), assistant('A1'), B, user('T2', 'refine'), assistant('A2')],
    [H, user('T1', 'replace'), assistant('A1'), user('T2', 'refine'), assistant('A2')],
    ['T1', 'T2'],
  ],
  [20, [H, T('replace'), A], [H, T('replace'), A], ['T']],
];

describe('the matrix', () => {
  test.each(rows)('row-%i both projections, and the objective before and after', (_row, input, expected, about) => {
    expect(objective(input)).toEqual(about);
    for (const project of [projectCompleted, projectResumable]) {
      const projected = output(project(input));
      expect(projected).toEqual(expected);
      expect(objective(projected as Messages)).toEqual(about);
    }
  });

  const T_ = { ...T('replace'), turn_semantics: { schema_version: 1, objective_relation: 'invalid' } };
  const corrupt: [number, string, string, Messages][] = [
    [10, 'an unknown relation', 'malformed', [H, B, T_, A]],
    [10, 'null', 'malformed', [H, B, user('T', undefined, { turn_semantics: null }), A]],
    [
      10,
      'a field that is not known',
      'malformed',
      [H, B, user('T', undefined, { turn_semantics: { schema_version: 1, mood: 'x' } }), A],
    ],
    [
      11,
      'another version',
      'unsupported_version',
      [H, B, user('T', undefined, { turn_semantics: { schema_version: 2, objective_relation: 'refine' } }), A],
    ],
    [12, 'the field on an assistant', 'invalid_owner', [H, B, { ...A, turn_semantics: { schema_version: 1 } }]],
    [13, 'before the marker, superseded', 'malformed', [T_, B, T('replace'), A]],
    [13, 'on a message of the runtime', 'malformed', [H, { ...T_, ...runtime('projection') }, A]],
  ];
  test.each(corrupt)('row-%i %s is an error of every strict reading', (_row, _what, code, input) => {
    for (const project of [projectCompleted, projectResumable, projectContinuation]) expect(output(project(input))).toBe(code);
    expect(objective(input)).toBe(code);
    expect(commitDelta({ prior: [], hadHead: false, messages: input, isResumable: false })).toMatchObject({
      ok: false,
      error: { code },
    });
  });

  test('row-14 one user and tools all the way: the answer stays, the groups where the turn may go on', () => {
    const U = user('U', 'replace');
    const input = [U, B, ...group('1'), ...group('2'), ...group('3'), A];
    expect(output(projectCompleted(input))).toEqual([U, A]);
    expect(output(projectResumable(input))).toEqual([U, ...group('1'), ...group('2'), ...group('3'), A]);
    for (const project of [projectCompleted, projectResumable])
      expect(objective(output(project(input)) as Messages)).toEqual(['U']);
    expect(objective(input)).toEqual(['U']);
  });

  test('row-15 interrupted after a group', () => {
    const typed = user('U', 'replace');
    for (const project of [projectCompleted, projectResumable])
      expect(objective(output(project([typed, B, ...group('1')])) as Messages)).toEqual(objective([typed, B, ...group('1')]));
    const U = user('U');
    expect(output(projectCompleted([U, B, ...group('1')]))).toEqual([U]);
    expect(output(projectResumable([U, B, ...group('1')]))).toEqual([U, ...group('1')]);
  });

  test('row-16 a call without its result', () => {
    const U = user('U');
    const input = [U, call('a', 'b'), result('a'), A];
    expect(output(projectCompleted(input))).toEqual([U, A]);
    expect(output(projectResumable(input))).toEqual([U, call('a'), result('a'), A]);
  });

  test('row-21 an answer without a user is nothing, unless one was committed before', () => {
    for (const isResumable of [false, true]) {
      const project = isResumable ? projectResumable : projectCompleted;
      expect(output(project([A]))).toEqual([]);
      expect(output(project([A], { hasPriorUser: true }))).toEqual([A]);
    }
    const of = (isResumable: boolean) => commitDelta({ prior: [], hadHead: false, messages: [A], isResumable });
    expect(of(false)).toEqual({ ok: false, error: { code: 'nothing_committable' } });
    expect(of(true)).toEqual({ ok: true });
    const after = commitDelta({ prior: [H], hadHead: true, messages: [H, A], isResumable: false });
    expect(after).toEqual({ ok: true, delta: { version: 1, mode: 'append', packs: [[A]] } });
  });

  test('row-22 append-only context of the runtime stays where it is, byte for byte', () => {
    const U = user('U');
    for (const project of [projectCompleted, projectResumable]) {
      const projected = output(project([U, kept, A])) as Messages;
      expect(projected).toEqual([U, kept, A]);
      expect(JSON.stringify(projected[1])).toBe(JSON.stringify(kept));
      expect(output(project([kept, A]))).toEqual([kept]);
    }
  });

  test.each(rows.filter(([row]) => row <= 7))('row-23 row %i through the continuation is cut at the marker', (_row, input) => {
    expect(output(projectContinuation(input))).toEqual(input.slice(2));
  });

  test.each(rows.filter(([row]) => row <= 7))(
    'row-24 row %i with a corrupt T through the recovery: T and A, the field counted',
    (_row, input) => {
      const broken = input.map((message, at) =>
        at === 2 ? { ...message, turn_semantics: { schema_version: 1, objective_relation: 'x' } } : message,
      );
      expect(output(projectContinuation(broken))).toBe('malformed');
      expect(recoverContinuation(broken)).toEqual({ messages: [T(), A], removed: 1 });
    },
  );

  test('row-24 recovery takes the corrupt field off and counts it', () => {
    expect(recoverContinuation([H, B, T_, A])).toEqual({ messages: [T(), A], removed: 1 });
    expect(recoverContinuation([H, { ...B, turn_semantics: 1 }, T('refine'), A])).toEqual({
      messages: [T('refine'), A],
      removed: 1,
    });
  });

  test('row-25 five refinements: all messages stay, the objective is the first and the last three', () => {
    const refined = [1, 2, 3, 4, 5].map((n) => user(`R${n}`, 'refine'));
    const input = [H, B, ...refined, A];
    for (const project of [projectCompleted, projectResumable]) expect(output(project(input))).toEqual([H, ...refined, A]);
    expect(objective(input)).toEqual(['O', 'R3', 'R4', 'R5']);
  });

  test('row-26 a prefix that changed without a proof, or under a permit that is not valid, is an error', () => {
    const prior = [H, assistant('A0')];
    const messages = [user('edited', 'replace'), assistant('A0'), T(), A];
    const proof = createRewriteProof(prior, rootOf(prior), 3);
    const other = finishRewrite(proof, beginRewrite(proof, [user('not the prefix')]), messages);
    const foreign = finishRewrite(proof, beginRewrite(createRewriteProof([H], rootOf([H]), 3), [H]), messages);
    const wrongRoot = createRewriteProof(prior, rootOf([H]), 3);
    const rootless = finishRewrite(wrongRoot, beginRewrite(wrongRoot, prior), messages);
    const undone = createRewriteProof(prior, rootOf(prior), 3);
    const forGood = finishRewrite(other, beginRewrite(proof, prior), messages);
    for (const used of [undefined, other, foreign, rootless, undone, forGood])
      for (const isResumable of [false, true])
        expect(commitDelta({ prior, hadHead: true, messages, proof: used, isResumable })).toEqual({
          ok: false,
          error: { code: 'prefix_mutated' },
        });
    const good = finishRewrite(proof, beginRewrite(proof, prior), messages.slice(0, 2));
    expect(commitDelta({ prior, hadHead: true, messages, proof: good, isResumable: false })).toMatchObject({
      ok: true,
      delta: { mode: 'replace', generation: 4 },
    });
    expect(commitDelta({ prior, hadHead: false, messages, proof: good, isResumable: false })).toMatchObject({ ok: false });
  });

  test('a completed turn may drop the tool scratch of what was committed, under a proof of that alone', () => {
    const prior = [H, ...group('1')];
    const proof = createRewriteProof(prior, rootOf(prior), 0);
    const messages = [...prior, A];
    const of = (isResumable: boolean, used = proof) => commitDelta({ prior, hadHead: true, messages, proof: used, isResumable });
    expect(of(false)).toEqual({ ok: true, delta: { version: 1, mode: 'replace', generation: 1, packs: [[H, A]] } });
    expect(of(true)).toEqual({ ok: true, delta: { version: 1, mode: 'append', packs: [[A]] } });
    expect(of(false, createRewriteProof([H], rootOf([H]), 0))).toMatchObject({ delta: { mode: 'append' } });
  });
});

/** The tail of each row as it comes out of the real layers: a long middle that says nothing of the objective, then the row's end. */
const middle = Array.from({ length: 30 }, (_, n) => [
  user(`step ${n}`, 'continue'),
  ...group(`g${n}`),
  assistant(`did ${n}`),
]).flat();
const trips: [number, Messages, number][] = [
  ...rows
    .filter(([row]) => row <= 9)
    .map(([row, input]): [number, Messages, number] => [row, [H, ...middle, ...input.slice(2)], input.length - 2]),
  [14, [user('U', 'replace'), ...middle.filter(({ role }) => role !== 'user'), A], 3],
];

describe('round trips through the real layers', () => {
  test.each(
    trips.flatMap(([row, session, tail]) => [false, true].map((isResumable) => [row, isResumable, session, tail] as const)),
  )('row-%i resumable %s: compaction, proof, delta, JSON, restore, the same objective', (_row, isResumable, session, tail) => {
    const before = objective(session);
    const proof = createRewriteProof(session, rootOf(session), 7);
    const permit = beginRewrite(proof, session);
    const compacted = compactTiered(session, Math.ceil(tail / 2));
    expect(compacted.filter(isBoundary)).toHaveLength(1);
    expect(compacted.length).toBeLessThan(session.length);
    const finished = finishRewrite(proof, permit, compacted);
    const committed = commitDelta({ prior: session, hadHead: true, messages: compacted, proof: finished, isResumable });
    expect(committed).toMatchObject({ ok: true, delta: { mode: 'replace', generation: 8 } });
    const json = JSON.stringify(committed.ok ? committed.delta : undefined);
    const restored = applyDelta(session, JSON.parse(json));
    expect(objective(restored)).toEqual(before);
    expect(restored.some(isBoundary)).toBe(false);
  });

  test('negative controls: a start at the last marker, or at any user of the tail, loses the objective', () => {
    const atMarker = (m: Messages) => m.slice(m.findLastIndex(isBoundary));
    const anyTail = (m: Messages) => {
      const from = m.findLastIndex(isBoundary);
      return m.slice(m.findLastIndex((item, index) => index > from && isVisibleUser(item)));
    };
    const U = user('U', 'replace');
    expect(output(projectCompleted(atMarker([U, B, ...group('1'), A])))).toEqual([]);
    expect(output(projectCompleted(atMarker([U, B, ...group('1'), A])))).not.toEqual([U, A]);
    for (const [row, input, expected, about] of rows.filter(([number]) => number <= 6)) {
      const cut = output(projectCompleted(anyTail(input))) as Messages;
      expect(cut, `row ${row}`).not.toEqual(expected);
      expect(objective(cut), `row ${row}`).not.toEqual(about);
    }
  });
});

describe('the layers', () => {
  test('head, marker, pivot and tail', () => {
    const system: TranscriptMessage = { role: 'system', content: 'S' };
    const session = [system, H, A, user('old'), A, user('pivot'), A, ...group('1'), A];
    expect(compactTiered(session, 2)).toEqual([
      system,
      H,
      expect.objectContaining({ _compact_boundary: true, _messages_removed: 3, _turns_removed: 1 }),
      user('pivot'),
      ...session.slice(-4),
    ]);
    expect(compactReactive(session)[2]).toMatchObject({ _compact_boundary: true, _reactive: true });
  });

  test('no pivot where the tail begins with the user, nothing where there is nothing between', () => {
    const session = [H, A, user('old'), A, user('tail'), A];
    expect(compactTiered(session, 1)).toEqual([H, expect.objectContaining({ _messages_removed: 3 }), user('tail'), A]);
    expect(compactTiered([H, A, user('x'), A], 2)).toEqual([H, A, user('x'), A]);
    const frame = user('', undefined, {
      content: [
        { type: 'tool_result', tool_use_id: '1', content: 'x' },
        { type: 'text', text: 'x' },
      ],
    });
    const stub = user('stub', undefined, { _cache_stub: true });
    expect(compactTiered([H, user('plain'), frame, stub, A, A, A], 1)).toMatchObject([
      H,
      { _compact_boundary: true },
      user('plain'),
      A,
      A,
    ]);
  });

  test('each layer acts from its own threshold on', () => {
    const long = 'x'.repeat(1_000);
    const session = [H, call('1'), result('1', long), call('2'), result('2', long), A, user('a'), A, user('b'), A];
    const at = (pressure: number) => compactTranscript(session, { pressure, base: 0.8, keepTurns: 2 });
    expect(at(0.49)).toBe(session);
    expect(at(0.5)[2]).toMatchObject({ content: '[the same result stands further below]' });
    expect(at(0.61)[4]).toMatchObject({ content: expect.stringMatching(/^x{400}… \[600 characters were cut\]$/) });
    expect(at(0.61).filter(isBoundary)).toHaveLength(0);
    expect(at(0.75).filter(isBoundary)).toHaveLength(1);
    expect(at(0.95).filter(isBoundary).length).toBeGreaterThan(0);
    const hard = compactTranscript([H, ...middle, A], { pressure: 0.95, base: 0.8, keepTurns: 4 });
    expect(hard.length).toBe(7);
  });
});
