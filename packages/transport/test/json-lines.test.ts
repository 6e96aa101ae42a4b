import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonLineReader, type JsonObject, toJsonLine, Unparsed } from '../src/json-lines.ts';
import { createLineSplitter } from '../src/line-splitter.ts';

const readAll = (chunks: Buffer[], maxBytes?: number) => {
  const frames: (JsonObject | Unparsed)[] = [];
  const reader = createJsonLineReader((frame) => void frames.push(frame), maxBytes);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return frames;
};

describe('createJsonLineReader', () => {
  const values = [
    { a: 1 },
    { text: 'é日本\u{1f600}' },
    { separators: '\u2028\u2029\u0085' },
    { cr: 'a\rb' },
    { escaped: '\n' },
    { deep: [[{ x: null }]] },
  ];
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

  test('the same frames, split between any two bytes', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(readAll([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(values);
    expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(values);
  });

  test('the same frames, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(readAll(chunks)).toEqual(values);
      }),
    );
  });

  test('CRLF, empty lines and a BOM change nothing; raw U+2028 and a lone CR inside a string are data', () => {
    const raw = Buffer.from('\ufeff{"a":"x\u2028y\u2029z"}\r\n\r\n\n  \n{"b":1}\r\n');
    expect(readAll([raw])).toEqual([{ a: 'x\u2028y\u2029z' }, { b: 1 }]);
    expect(readAll([Buffer.from('{"a":1}\r{"b":2}\n')])).toMatchObject([{ kind: 'noise' }]);
  });

  test('what is no JSON object is handed on as such, cut far behind what anybody is shown', () => {
    const frames = readAll([Buffer.from(`nope\nnull\n[1]\n"x"\n{"half":\n${'z'.repeat(100_000)}\n{"ok":1}\n`)]);
    expect(frames.slice(0, 6).every((frame) => frame instanceof Unparsed && frame.kind === 'noise')).toBe(true);
    expect((frames[5] as Unparsed).text).toHaveLength(65_536);
    expect((frames[5] as Unparsed).bytes).toBe(100_000);
    expect(frames[6]).toEqual({ ok: 1 });
  });

  test('E5 a line over the limit is dropped and counted, and the next one is read', () => {
    for (const size of [1, 7, 1_000]) {
      const chunks =
        Buffer.from(`{"a":1}\n{"b":"${'x'.repeat(100)}"}\n{"c":3}\n`)
          .toString('latin1')
          .match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      const frames = readAll(
        chunks.map((chunk) => Buffer.from(chunk, 'latin1')),
        50,
      );
      expect(frames).toMatchObject([{ a: 1 }, { kind: 'oversize', bytes: 108 }, { c: 3 }]);
    }
    expect(readAll([Buffer.from('x'.repeat(60))], 50)).toMatchObject([{ kind: 'oversize', bytes: 60 }]);
  });

  test('what stands behind the last newline is handed out at the end', () => {
    expect(readAll([Buffer.from('{"a":1}\n{"b":')])).toMatchObject([{ a: 1 }, { kind: 'noise', text: '{"b":' }]);
    expect(readAll([Buffer.from('{"a":1}')])).toEqual([{ a: 1 }]);
  });

  test('a line costs its own length however many chunks it comes in', () => {
    const chunk = Buffer.alloc(1_000, 'x');
    let bytes = 0;
    const splitter = createLineSplitter(
      (_text, size) => {
        bytes = size;
      },
      () => undefined,
    );
    const start = performance.now();
    for (let i = 0; i < 20_000; i += 1) splitter.push(chunk);
    splitter.push(Buffer.from('\n'));
    expect(bytes).toBe(20_000_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('a frame is written as one line that every reader takes as one', () => {
    const line = toJsonLine({ text: 'a\u2028b\u2029c\nd' });
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line).not.toMatch(/[\u2028\u2029]/);
    expect(JSON.parse(line)).toEqual({ text: 'a\u2028b\u2029c\nd' });
  });

  test('tells whether a further line of the same chunk waits, also behind a blank one', () => {
    const seen: boolean[] = [];
    const reader = createJsonLineReader(() => seen.push(reader.hasMore));
    reader.push(Buffer.from('{"a":1}\n{"b":2}\n\n{"c":'));
    expect([...seen, reader.hasMore]).toEqual([true, true, false]);
  });
});
