import { createRedactor, openSession, type SessionRecord, type Wire } from '@native-compaction/core';
import { createJsonLineReader, type JsonObject, LineFrame, toNative } from '@native-compaction/transport';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClaudeIn } from '../src/frames.ts';
import { claudeMachine } from '../src/machine.ts';
import { type PieceFact, template } from '../src/pieces.ts';
import { present } from '../src/present.ts';
import { native } from './support/native.ts';

const session_id = '00000000-0000-4000-8000-00000000000a';
const uuid = '1fd2c35e-65a1-4a8e-8a4b-7d6b7e9b6c11';
const secrets = [
  `sk-ant-api03-${'aB3'.repeat(12)}`,
  `ghp_${'aB3'.repeat(12)}`,
  'AKIAIOSFODNN7EXAMPLE',
  'asiaiosfodnn7example',
  'Authorization: Bearer abcdef123',
  'sent basic abcdefghijk',
  'https://user:hunter2@host/path?api_key=zzz&x=1',
  'an exact secret of words',
  'oneword-secret',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE abc\n-----END RSA PRIVATE KEY-----',
  'MY_API_KEY = plainvalue',
];

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'the',
      ' and ',
      ' of',
      '.\n',
      'word ',
      ' a',
      '" quoted \\ ',
      '\t',
      '/',
      ' bearer',
      ' cookie: ',
      'tion',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...secrets) },
  // Pieces of secrets, that only what comes before or behind makes whole.
  {
    weight: 2,
    arbitrary: fc.constantFrom(...secrets).chain((secret) => fc.nat(secret.length).map((cut) => secret.slice(0, cut))),
  },
  { weight: 1, arbitrary: fc.constantFrom(...secrets).chain((secret) => fc.nat(secret.length).map((cut) => secret.slice(cut))) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('é', '日本', '\u2028', '\u0000', '\u{1f600}', '\ud800', '\x7f', '\ufeff', '</', 'x'.repeat(300)),
  },
);
/** Ids of 36 characters, one after which a line that was like the last one is of another kind, and one that is no string. */
const ids = fc.constantFrom(
  uuid,
  uuid,
  '2fd2c35e-65a1-4a8e-8a4b-7d6b7e9b6c12',
  `x","type":"result","z":"${'y'.repeat(13)}`,
  `\t${'x'.repeat(35)}`,
  `\\u0041${'x'.repeat(30)}`,
);
const texts = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(''));

const delta = (type: string, name: string, value: string, index: number, parent: string | null): JsonObject => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index, delta: { type, [name]: value } },
  session_id,
  parent_tool_use_id: parent,
  uuid,
});
const index = fc.constantFrom(0, 0, 0, 1, 17);
const parent = fc.constantFrom(null, null, null, null, 'toolu_1');
const piece = fc.tuple(texts, index, parent).map(([value, at, child]) => delta('text_delta', 'text', value, at, child));

/** Lines as the CLI writes them, and lines that are nearly so: each must come out as if it had been parsed. */
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(piece, ids).map(([frame, id]) => JSON.stringify({ ...frame, api_message_id: 'msg_1' }).replace(uuid, id)),
  },
  { weight: 3, arbitrary: piece.map((frame) => JSON.stringify(frame)) },
  { weight: 1, arbitrary: texts.map((value) => JSON.stringify(delta('thinking_delta', 'thinking', value, 0, null))) },
  { weight: 1, arbitrary: texts.map((value) => JSON.stringify(delta('input_json_delta', 'partial_json', value, 0, null))) },
  { weight: 1, arbitrary: piece.map((frame) => JSON.stringify({ ...frame, extra: 1 })) },
  { weight: 1, arbitrary: piece.map((frame) => JSON.stringify({ uuid: 'x', ...frame })) },
  { weight: 1, arbitrary: piece.map((frame) => `${JSON.stringify(frame)}\r`) },
  {
    weight: 1,
    arbitrary: piece.map((frame) =>
      JSON.stringify(frame).replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ),
  },
  { weight: 1, arbitrary: piece.map((frame) => JSON.stringify(frame).replace('"text":"', '"text":"\\u0041\\/')) },
  { weight: 1, arbitrary: piece.map((frame) => JSON.stringify(frame).replace('"text":"', '"text":"\\x')) },
  { weight: 1, arbitrary: piece.map((frame) => JSON.stringify(frame).replace('"text":"', '"text":"a\t')) },
  { weight: 1, arbitrary: fc.tuple(piece, fc.nat(400)).map(([frame, cut]) => JSON.stringify(frame).slice(0, cut)) },
  { weight: 1, arbitrary: piece.map((frame) => JSON.stringify(frame).replace('"index":', '"index":0')) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('msg_1', 'msg_2'), parent).map(([id, child]) =>
      JSON.stringify({
        type: 'stream_event',
        event: { type: 'message_start', message: { id } },
        session_id,
        parent_tool_use_id: child,
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(texts, parent).map(([value, child]) =>
      JSON.stringify({
        type: 'assistant',
        message: { id: 'msg_1', content: [{ type: 'text', text: value }] },
        parent_tool_use_id: child,
        session_id,
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      'no json',
      '{"type":"keep_alive"}',
      JSON.stringify(native.result('u')),
      '\ufeff{"type":"keep_alive"}',
    ),
  },
);

/** Opens a session over a wire that reads what is pushed; with the template or without it. */
async function open(isFast: boolean) {
  let on: Parameters<Wire<ClaudeIn, JsonObject>['start']>[0] | undefined;
  let opened: string | undefined;
  const runs = {
    template,
    onRun: (frames: readonly LineFrame<PieceFact>[], bytes: readonly number[]) => on?.run?.(frames, bytes),
  };
  const reader = createJsonLineReader((frame, bytes) => on?.frame(frame, bytes), undefined, isFast ? runs : undefined);
  const wire: Wire<ClaudeIn, JsonObject> = {
    start(handlers) {
      on = handlers;
    },
    hasUnread: () => reader.hasMore,
    write(frame) {
      opened ??= String(frame.request_id);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => Promise.resolve(on?.end('process_exit', { code: 0 })),
  };
  const opening = openSession({
    runtime: 'claude',
    machine: claudeMachine,
    facts: { prompt: {}, testedVersions: [] },
    wire,
    redactor: createRedactor({ ONE_TOKEN: 'oneword-secret', WORDS_SECRET: 'an exact secret of words' }),
    promptChange: () => ({ system: 'unknown', append: 'unknown' }),
    present,
    toNative,
    clock: { now: () => 1, after: () => ({ cancel: () => undefined }) },
  });
  reader.push(Buffer.from(`${JSON.stringify(native.opened(opened ?? ''))}\n`));
  const session = await opening;
  const records: SessionRecord[] = [];
  session.on('record', (record) => void records.push(record));
  return { session, reader, records };
}

/** What a session made of the bytes, cut into chunks at `cuts`. */
async function read(isFast: boolean, bytes: Buffer, cuts: readonly number[]) {
  const { session, reader, records } = await open(isFast);
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
  for (const [at, end] of places.slice(1).entries()) reader.push(bytes.subarray(places[at], end));
  reader.end();
  const frames = Array.from({ length: 40 }, (_, number) => session.frame(number)?.native);
  const { view } = session.checkpoint();
  await session.dispose();
  return { records: records.map(({ log: _own, ...record }) => record), frames, view };
}

describe('the template', () => {
  test.each(['constructor', '__proto__', 'toString'])(
    'T7 a piece of a child agent called %s names no message but its own',
    (taskId) => {
      const { state } = claudeMachine.init({ prompt: {}, testedVersions: [] });
      const frame = new LineFrame<PieceFact>({ kind: 'delta', taskId, index: 0, text: 'x' }, '{}');
      const { records } = claudeMachine.step(state, { n: 1, atMs: 0, dir: 'in', frame });
      expect(records).toEqual([{ type: 'assistant_delta', taskId, messageId: undefined, index: 0, text: 'x' }]);
    },
  );

  test('R9 T6 with it and without it a session says the same, frame by frame and record by record', async () => {
    let count = 0;
    let taken = 0;
    const reader = createJsonLineReader(() => undefined, undefined, {
      template,
      onRun(frames) {
        taken += frames.length;
      },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 50, maxLength: 60 }),
        fc.array(fc.nat(20_000), { maxLength: 4 }),
        async (lines, cuts) => {
          const bytes = Buffer.from(`${lines.join('\n')}\n`);
          count += lines.length;
          reader.push(bytes);
          const [fast, generic] = [await read(true, bytes, cuts), await read(false, bytes, [])];
          expect(JSON.stringify(fast)).toBe(JSON.stringify(generic));
          expect(fast.records).toEqual(generic.records);
        },
      ),
      { numRuns: 4_000, seed: 10 },
    );
    expect(count).toBeGreaterThan(200_000);
    expect(taken / count).toBeGreaterThan(0.4);
  }, 600_000);

  test('a piece leaves the very same state behind, parsed or not', () => {
    const { state } = claudeMachine.init({ prompt: {}, testedVersions: [] });
    const others = fc.constantFrom(
      native.opened('x'),
      native.compacting(),
      native.init('u'),
      native.lifecycle('u', 'started'),
      native.result('u'),
    );
    let matched = 0;
    fc.assert(
      fc.property(fc.array(others, { maxLength: 4 }), line, fc.nat(), (before, given, n) => {
        const reached = before.reduce((at, frame) => claudeMachine.step(at, { dir: 'in', frame, n: 1, atMs: 0 }).state, state);
        const fact = template(given);
        if (fact === undefined) return;
        matched += 1;
        const fast = claudeMachine.step(reached, { dir: 'in', frame: new LineFrame(fact, given), n, atMs: 0 });
        const generic = claudeMachine.step(reached, { dir: 'in', frame: JSON.parse(given), n, atMs: 0 });
        expect(fast.state).toBe(reached);
        expect(generic.state).toBe(reached);
        expect(fast).toEqual(generic);
      }),
      { numRuns: 20_000, seed: 11 },
    );
    expect(matched).toBeGreaterThan(5_000);
  });
});
