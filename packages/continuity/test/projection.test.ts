import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyDelta,
  beginRewrite,
  type Canonical,
  commitDelta,
  createRewriteProof,
  entriesOf,
  entryOf,
  finishRewrite,
  ledgerFromMessages,
  markSemantics,
  objectiveContext,
  projectCompleted,
  projectContinuation,
  projectPromptFacing,
  projectResumable,
  projectVisible,
  type Relation,
  recoverContinuation,
  relations,
  rootOf,
  type TranscriptMessage,
  turnSemanticsSchema,
} from '../src/index.ts';
import { deliveryOf, isBoundary, isVisibleUser, visibleText } from '../src/messages.ts';
import { hasCalls } from '../src/tool-groups.ts';
import { assistant, call, marker, result, runtime, user } from './support/transcript.ts';

const text = fc.constantFrom('a', ' b ', 'c\nd', '', '   ', 'long text '.repeat(5));
const relation = fc.option(fc.constantFrom(...relations), { nil: undefined });
const toolId = fc.constantFrom('t1', 't2', 't3', ' ');
const provenance = fc.constantFrom('ephemeral_control', 'required_context', 'append_only_required_context', 'projection');
const blocks = fc.array(
  fc.oneof(
    text.map((value) => ({ type: 'text', text: value })),
    fc.constant({ type: 'image', data: 'x' }),
  ),
  { maxLength: 3 },
);
const plain: fc.Arbitrary<TranscriptMessage> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(text, relation).map(([value, typed]) => user(value, typed)) },
  { weight: 1, arbitrary: blocks.map((content) => ({ role: 'user' as const, content })) },
  { weight: 3, arbitrary: text.map((value) => assistant(value)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(toolId, { minLength: 1, maxLength: 3 }), text)
      .map(([ids, content]) => ({ ...call(...ids), content })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.array(toolId, { minLength: 1, maxLength: 2 }), text).map(([ids, value]) => ({
      role: 'assistant' as const,
      content: [{ type: 'text', text: value }, ...ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} }))],
    })),
  },
  { weight: 3, arbitrary: toolId.map((id) => result(id)) },
  { weight: 1, arbitrary: text.map((content) => ({ role: 'system' as const, content })) },
  { weight: 1, arbitrary: fc.constant(marker) },
);
const message = fc.oneof(
  { weight: 8, arbitrary: plain },
  { weight: 1, arbitrary: fc.tuple(plain, provenance).map(([made, delivery]) => ({ ...made, ...runtime(delivery) })) },
);
const messages = fc.array(message, { maxLength: 25 });
const corrupt = fc.constantFrom<unknown>(
  null,
  1,
  {},
  { schema_version: 2 },
  { schema_version: 1, objective_relation: 'x' },
  { schema_version: 1, extra: 1 },
);

type Messages = readonly TranscriptMessage[];
const projections = { completed: projectCompleted, resumable: projectResumable, continuation: projectContinuation };
const sound = (projected: Canonical): Messages => {
  if (!projected.ok) throw new Error(projected.error.code);
  return projected.messages;
};
const runs = { numRuns: 2_000 };
const each = (body: (input: Messages, project: (of: Messages) => Canonical, name: string) => void) =>
  fc.assert(
    fc.property(messages, (input) => {
      for (const [name, project] of Object.entries(projections)) body(input, project, name);
    }),
    runs,
  );

/** True when `part` is `whole` with messages left out, by what each says. */
function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const item of whole) if (item === part[at]) at += 1;
  return at === part.length;
}
const shapeOf = (item: TranscriptMessage) =>
  deliveryOf(item) ? JSON.stringify(item) : `${item.role} ${item.role === 'tool' ? item.tool_call_id : visibleText(item)}`;

describe('properties of the projections', () => {
  test('prop-P1 idempotent', () => {
    each((input, project) => {
      const once = sound(project(input));
      expect(sound(project(once))).toEqual(once);
    });
  });

  test('prop-P2 a subsequence of the input, with no marker and nothing ephemeral of the runtime', () => {
    each((input, project) => {
      const output = sound(project(input));
      for (const item of output)
        expect(isBoundary(item) || ![undefined, 'append_only_required_context'].includes(deliveryOf(item))).toBe(false);
      const others = (of: Messages) => of.filter(({ role }) => role !== 'tool').map(shapeOf);
      expect(isSubsequence(others(output), others(input))).toBe(true);
    });
  });

  test('prop-P3 every result has its call just before it, once', () => {
    each((input, project) => {
      let open = new Set<string>();
      for (const item of sound(project(input)).filter((of) => deliveryOf(of) === undefined)) {
        if (item.role === 'tool') expect(open.delete(item.tool_call_id ?? '')).toBe(true);
        else {
          expect(open.size).toBe(0);
          const used = Array.isArray(item.content)
            ? item.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id as string)
            : [];
          open = new Set([...(item.tool_calls ?? []).map(({ id }) => id), ...used]);
        }
      }
      expect(open.size).toBe(0);
    });
  });

  test('prop-P4 other words never change which messages survive', () => {
    each((input, project) => {
      const other = (value: unknown): unknown =>
        typeof value === 'string' ? (value.trim() === '' ? value : `other ${value}`) : value;
      const reworded = input.map((item) => ({
        ...item,
        content: Array.isArray(item.content)
          ? item.content.map((block) => ({ ...block, text: other(block.text) }))
          : other(item.content),
      }));
      const roles = (of: Messages) => sound(project(of)).map((item) => [item.role, item.tool_call_id, item.turn_semantics]);
      expect(roles(reworded as Messages)).toEqual(roles(input));
    });
  });

  test('prop-P5 without a typed replace behind the last marker the first visible user survives', () => {
    each((input, project, name) => {
      if (name === 'continuation') return;
      const at = input.findLastIndex(isBoundary);
      const hasReplace = input.some(
        (item, index) =>
          index > at &&
          isVisibleUser(item) &&
          (item.turn_semantics as { objective_relation?: Relation } | undefined)?.objective_relation === 'replace',
      );
      const first = input.find(isVisibleUser);
      if ((hasReplace && at >= 0) || !first) return;
      expect(visibleText(sound(project(input)).find(isVisibleUser) ?? marker)).toBe(visibleText(first));
    });
  });

  test('prop-P6 the objective is the same before and after, without exception', () => {
    each((input, project, name) => {
      if (name === 'continuation') return;
      expect(objectiveContext(sound(project(input)))).toEqual(objectiveContext(input));
    });
  });

  test('prop-P7 a resumable turn holds all that a completed one does', () => {
    fc.assert(
      fc.property(messages, (input) => {
        const all = sound(projectResumable(input)).map((item) => JSON.stringify(item));
        expect(
          isSubsequence(
            sound(projectCompleted(input)).map((item) => JSON.stringify(item)),
            all,
          ),
        ).toBe(true);
      }),
      runs,
    );
  });

  test('prop-P8 corrupt is an error, never a shorter result', () => {
    fc.assert(
      fc.property(messages, message, corrupt, fc.nat(), (input, item, field, at) => {
        const place = at % (input.length + 1);
        const broken = [...input.slice(0, place), { ...item, turn_semantics: field }, ...input.slice(place)];
        if (item.role === 'user' && JSON.stringify(field) === '{}') return;
        for (const project of [...Object.values(projections), projectPromptFacing, ledgerFromMessages, objectiveContext])
          expect(project(broken).ok).toBe(false);
        const recovered = recoverContinuation(broken);
        expect(recovered.removed).toBe(1);
        expect(projectContinuation(recovered.messages).ok).toBe(true);
      }),
      runs,
    );
  });

  test('prop-P9 without a valid proof a delta never drops what was committed', () => {
    fc.assert(
      fc.property(messages, messages, fc.boolean(), fc.boolean(), (prior, more, isResumable, isMutated) => {
        const begun = isMutated ? [user('mutated'), ...prior.slice(1)] : prior;
        const next = [...begun, ...more];
        const proof = createRewriteProof(prior, rootOf([user('another')]), 0);
        for (const used of [undefined, proof, finishRewrite(proof, beginRewrite(proof, prior), next)]) {
          const committed = commitDelta({ prior, hadHead: true, messages: next, proof: used, isResumable });
          if (!committed.ok || !committed.delta) continue;
          expect(committed.delta.mode).toBe('append');
          const stored = applyDelta(prior, JSON.parse(JSON.stringify(committed.delta)));
          expect(stored.slice(0, prior.length)).toEqual(prior);
          expect(rootOf(next, prior.length)).toBe(rootOf(prior));
        }
      }),
      runs,
    );
  });
});

describe('the other projections', () => {
  test('what a user is shown: words of both, no tools, no fields, no escapes', () => {
    const shown = projectVisible([
      user('\u001b[31mred\u001b[0m\u0007 text\tkept', 'refine'),
      marker,
      call('1'),
      result('1'),
      user('own', undefined, runtime('append_only_required_context')),
      assistant(' A '),
    ]);
    expect(shown).toEqual([
      { role: 'user', content: 'red text\tkept' },
      { role: 'assistant', content: 'A' },
    ]);
    fc.assert(
      fc.property(messages, (input) => {
        expect(projectVisible(projectVisible(input))).toEqual(projectVisible(input));
      }),
    );
  });

  test('what a prompt gets: from the last marker on, without groups, at most forty', () => {
    const many = Array.from({ length: 60 }, (_, n) => [user(`u${n}`), call('1'), result('1'), assistant(`a${n}`)]).flat();
    const projected = sound(projectPromptFacing([user('before'), marker, ...many]));
    expect(projected).toHaveLength(40);
    expect(projected.at(-1)).toEqual(assistant('a59'));
    const broken = [user('x', undefined, { turn_semantics: 1 }), assistant()];
    expect(projectPromptFacing(broken)).toEqual({ ok: false, error: { code: 'malformed', index: 0 } });
    expect(projectPromptFacing(broken, { isLenient: true })).toEqual({ ok: true, messages: [user('x'), assistant()] });
  });

  test('results become text: a matching envelope is unwrapped, another is kept as JSON', () => {
    const project = (content: unknown) =>
      sound(projectResumable([user('u'), call('t'), { role: 'tool', tool_call_id: 't', name: 'f', content }])).at(-1);
    const envelope = (id: string, content: unknown) => [{ type: 'tool_result', tool_use_id: id, content }];
    expect(project('as it is ')).toEqual({ role: 'tool', tool_call_id: 't', name: 'f', content: 'as it is ' });
    expect(project(envelope('t', 'inside'))).toMatchObject({ content: 'inside' });
    expect(project(envelope('other', 'inside'))).toMatchObject({
      content: '[{"content":"inside","tool_use_id":"other","type":"tool_result"}]',
    });
    expect(project({ b: 1, a: [2] })).toMatchObject({ content: '{"a":[2],"b":1}' });
    expect(project(undefined)).toMatchObject({ content: '' });
  });

  test('what keeps a group whole: the first result and the first call of an id, and what stands right behind', () => {
    const twice = [user('u'), call('a', 'a', 'b'), result('b', '1'), result('b', '2'), result('a', '3')];
    expect(sound(projectResumable(twice)).slice(1)).toEqual([call('a', 'b'), result('a', '3'), result('b', '1')]);
    const broken = [user('u'), { ...call('a'), content: 'text' }, user('v'), result('a')];
    expect(sound(projectResumable(broken))).toEqual([user('u'), assistant('text'), user('v')]);
    expect(sound(projectCompleted(broken))).toEqual([user('u'), user('v')]);
    const thought = { ...call('a'), reasoning_content: 'because' };
    expect(sound(projectResumable([user('u'), thought, result('a')]))).toContainEqual(thought);
  });

  test('packs are near half a megabyte and never split a group', () => {
    const large = 'x'.repeat(200_000);
    const turns = Array.from({ length: 5 }, (_, n) => [user(`u${n}`), call(`c${n}`), result(`c${n}`, large)]).flat();
    const committed = commitDelta({ prior: [], hadHead: false, messages: turns, isResumable: true });
    const packs = committed.ok ? (committed.delta?.packs ?? []) : [];
    expect(packs.length).toBeGreaterThan(1);
    expect(packs.flat()).toEqual(turns);
    for (const pack of packs) {
      expect(pack[0]?.role).not.toBe('tool');
      expect(Buffer.byteLength(JSON.stringify(pack))).toBeLessThan(3 * 200_000 + 10_000);
    }
    for (const value of [
      undefined,
      {},
      { version: 2, mode: 'append', packs: [] },
      { version: 1, mode: 'append', packs: [[]] },
      { version: 1, mode: 'x', packs: [] },
    ])
      expect(() => applyDelta([], value)).toThrow(expect.objectContaining({ code: 'corrupt_checkpoint' }));
  });
});

describe('the bridge', () => {
  test('one relation drives both halves: a restored transcript gives the ledger its objective', () => {
    const typed = [
      markSemantics(user('build it'), 'replace'),
      assistant(),
      markSemantics(user('also check unhappy paths'), 'refine', { kind: 'review', target: 'x' }),
      call('1'),
      result('1'),
      markSemantics(user('drop that'), 'acknowledge'),
    ];
    const restored = JSON.parse(JSON.stringify(typed)) as TranscriptMessage[];
    const read = ledgerFromMessages(restored);
    const ledger = read.ok ? read.ledger : undefined;
    expect(ledger && entriesOf(ledger).map(({ id, state, relation: is }) => [id, state, is])).toEqual([
      ['message-0', 'done', 'replace'],
      ['message-2', 'open', 'refine'],
      ['message-5', 'open', 'acknowledge'],
    ]);
    expect(ledger && entryOf(ledger, 'message-2')?.refines).toBe('message-0');
    expect(objectiveContext(restored)).toEqual({ ok: true, objective: ['build it', 'also check unhappy paths'] });
    expect(markSemantics(assistant(), 'refine')).toBeUndefined();
  });

  test('a call frame, a marker and what the runtime says are no final answers', () => {
    const read = ledgerFromMessages([
      user('u'),
      { ...call('1'), content: 'I look' },
      result('1'),
      { ...assistant(), ...runtime('projection') },
      { ...assistant(), _compact_boundary: true },
    ]);
    expect(read.ok && entriesOf(read.ledger)).toMatchObject([{ state: 'open', inFlight: false, outcome: 'unconfirmed' }]);
    expect(hasCalls(call('1'))).toBe(true);
    expect(turnSemanticsSchema.parse({ schema_version: 1 })).toEqual({ schema_version: 1, objective_relation: 'unknown' });
  });
});
